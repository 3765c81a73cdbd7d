// Posts to subresources of a pod: a Binding assigns it to a node, an Eviction requests its deletion.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../../../src/apimachinery/json/json.ts";
import { type Answer, MERGE_PATCH, TestApi } from "../../../../apiserver/endpoints/support.ts";

const NAMESPACE = "/api/v1/namespaces/default";
const POD = `${NAMESPACE}/pods/p`;
const DONE = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
});
afterEach(() => api[Symbol.asyncDispose]());

const create = (spec: JsonObject = {}): Promise<Answer> =>
  api.post(`${NAMESPACE}/pods`, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", labels: { a: "1" } },
    spec: { containers: [{ name: "c", image: "i" }], ...spec },
  });
const why = ({ status, body }: Answer): string => `${status} ${String(body["message"])}`;
const pod = async (): Promise<JsonObject> => (await api.get(POD)).body;

const bindingOf = (metadata: JsonObject = {}, target: JsonObject = { kind: "Node", name: "n" }) => ({
  apiVersion: "v1",
  kind: "Binding",
  metadata: { name: "p", ...metadata },
  target,
});
const bind = (body: JsonObject = bindingOf(), query = ""): Promise<Answer> =>
  api.post(`${POD}/binding${query}`, body);

describe("a Binding", () => {
  it.each([`${POD}/binding`, `${NAMESPACE}/bindings`])("gives the pod to a node: %s", async (path) => {
    await create();
    const answer = await api.post(path, bindingOf({ labels: { b: "2" }, annotations: { c: "3" } }));
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 201, body: DONE });
    expect(await pod()).toMatchObject({
      metadata: { generation: 1, labels: { a: "1", b: "2" }, annotations: { c: "3" } },
      spec: { nodeName: "n" },
      status: { conditions: [{ type: "PodScheduled", status: "True", lastProbeTime: null }] },
    });
  });

  it("changes nothing in a dry run", async () => {
    await create();
    expect((await bind(bindingOf(), "?dryRun=All")).status).toBe(201);
    expect((await pod())["spec"]).not.toHaveProperty("nodeName");
  });

  it("comes once", async () => {
    await create();
    await bind();
    expect(why(await bind())).toBe(
      '409 Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n"',
    );
  });

  it("waits for the gates", async () => {
    await create({ schedulingGates: [{ name: "x.example.com/y" }] });
    expect(why(await bind())).toContain("pod p has non-empty .spec.schedulingGates");
  });

  it.each<[string, JsonObject, string]>([
    ["another name", bindingOf({ name: "q" }), "400 name in URL does not match name in Binding object"],
    ["no node", bindingOf({}, {}), "500 target.name: Required value"],
    [
      "something that is no node",
      bindingOf({}, { kind: "Minion", name: "n" }),
      '500 target.kind: Unsupported value: "Minion": supported values: "Node", "<empty>"',
    ],
  ])("is refused: %s", async (_name, body, text) => {
    await create();
    expect(why(await bind(body))).toBe(text);
  });

  it("is for the pod of that uid", async () => {
    const { body } = await create();
    const { uid } = body["metadata"] as JsonObject; // every object has it
    const refused = await bind(bindingOf({ uid: "11111111-2222-3333-4444-555555555555" }));
    expect(why(refused)).toContain("Precondition failed: UID in precondition");
    expect((await bind(bindingOf({ uid }))).status).toBe(201);
  });

  it("needs a pod, and cannot be read", async () => {
    expect(why(await bind())).toBe('404 pods "p" not found');
    expect((await api.get(`${NAMESPACE}/bindings`)).status).toBe(405);
  });
});

describe("an Eviction", () => {
  const evict = (more: JsonObject = {}, query = ""): Promise<Answer> =>
    api.post(`${POD}/eviction${query}`, {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: "p" },
      ...more,
    });

  it("deletes the pod", async () => {
    await create();
    const answer = await evict();
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 201, body: DONE });
    expect((await api.get(POD)).status).toBe(404);
  });

  it("may be in the version of older clients", async () => {
    await create();
    expect((await evict({ apiVersion: "policy/v1beta1" })).status).toBe(201);
    expect(why(await evict({ apiVersion: "policy/v1beta2" }))).toMatch(
      /^400 .*no kind "Eviction" is registered for version "policy\/v1beta2"/,
    );
  });

  it("leaves a pod on a node its time", async () => {
    await create({ nodeName: "n" });
    await evict({ deleteOptions: { gracePeriodSeconds: 9 } });
    expect((await pod())["metadata"]).toMatchObject({ deletionGracePeriodSeconds: 9 });
  });

  it.each([
    ["by the query", {}, "?dryRun=All"],
    ["by its options", { deleteOptions: { dryRun: ["All"] } }, ""],
  ])("deletes nothing in a dry run: %s", async (_name, more, query) => {
    await create();
    expect((await evict(more, query)).status).toBe(201);
    expect((await api.get(POD)).status).toBe(200);
  });

  it("is refused for another name, another pod, or none", async () => {
    expect(why(await evict())).toBe('404 pods "p" not found');
    await create();
    expect(why(await evict({ metadata: { name: "q" } }))).toBe(
      "400 name in URL does not match name in Eviction object",
    );
    const uid = "11111111-2222-3333-4444-555555555555";
    expect((await evict({ deleteOptions: { preconditions: { uid } } })).status).toBe(409);
  });
});

describe("an Eviction and a PodDisruptionBudget", () => {
  const BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
  const evict = (query = "") =>
    api.post(`${POD}/eviction${query}`, {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: "p" },
    });
  const budget = async (status: JsonObject, { name = "b", ...spec }: JsonObject = {}) => {
    const metadata = { name };
    const body = { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata };
    const selector = { matchLabels: { a: "1" } };
    await api.post(BUDGETS, { ...body, spec: { minAvailable: 1, selector, ...spec } });
    await api.patch(MERGE_PATCH, `${BUDGETS}/${name}/status`, {
      status: { observedGeneration: 1, ...status },
    });
  };
  const run = async (isReady: boolean) => {
    await create({ nodeName: "n" });
    const conditions = [{ type: "Ready", status: isReady ? "True" : "False" }];
    await api.patch(MERGE_PATCH, `${POD}/status`, { status: { phase: "Running", conditions } });
  };
  const causes = ({ body }: Answer) => (body["details"] as JsonObject | undefined)?.["causes"];
  const denied = (message: string) => [{ reason: "DisruptionBudget", message }];
  const why429 = "429 Cannot evict pod as it would violate the pod's disruption budget.";

  it("takes one of the disruptions that are left, and tells the pod why it goes", async () => {
    await run(true);
    await budget({ disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 });
    expect((await evict("?dryRun=All")).status).toBe(201);
    expect((await pod())["metadata"]).not.toHaveProperty("deletionTimestamp");
    expect((await evict()).status).toBe(201);
    expect((await api.get(`${BUDGETS}/b`)).body["status"]).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { p: expect.any(String) },
      conditions: [{ type: "DisruptionAllowed", status: "False", reason: "InsufficientPods" }],
    });
    expect(await pod()).toMatchObject({
      metadata: { deletionTimestamp: expect.any(String) },
      status: { conditions: [{ type: "Ready" }, { type: "DisruptionTarget", status: "True" }] },
    });
  });

  it("is refused where none is left", async () => {
    await run(true);
    await budget({ currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 });
    const answer = await evict();
    expect(why(answer)).toBe(why429);
    expect(causes(answer)).toEqual(
      denied("The disruption budget b needs 1 healthy pods and has 1 currently"),
    );
    expect((await pod())["metadata"]).not.toHaveProperty("deletionTimestamp");
  });

  it("is to be tried again while nobody has counted", async () => {
    await run(true);
    await budget({ observedGeneration: 0, disruptionsAllowed: 1 });
    const answer = await evict();
    expect(why(answer)).toBe(why429);
    expect(answer.body["details"]).toEqual({
      causes: denied("The disruption budget b is still being processed by the server."),
      retryAfterSeconds: 10,
    });
  });

  it("tells why nobody could count", async () => {
    await run(true);
    const condition = {
      type: "DisruptionAllowed",
      status: "False",
      reason: "SyncFailed",
      message: "no idea",
    };
    const conditions = [{ ...condition, lastTransitionTime: "2026-01-01T00:00:00Z" }];
    await budget({ conditions, currentHealthy: 2, desiredHealthy: 1 });
    expect(causes(await evict())).toEqual(
      denied(
        "The disruption budget b does not allow evicting pods currently because it failed sync: no idea",
      ),
    );
  });

  it.each([
    [{ currentHealthy: 1, desiredHealthy: 1 }, {}, 201],
    [{ currentHealthy: 0, desiredHealthy: 1 }, {}, 429],
    [{ currentHealthy: 0, desiredHealthy: 1 }, { unhealthyPodEvictionPolicy: "AlwaysAllow" }, 201],
  ])("of a pod that is not ready, with %o and %o: %i", async (status, spec, code) => {
    await run(false);
    await budget(status, spec);
    expect((await evict()).status).toBe(code);
  });

  it("goes by without asking where the pod does nothing, or nobody selects it", async () => {
    await create();
    await budget({});
    expect((await evict()).status).toBe(201);
    await run(true);
    await api.patch(MERGE_PATCH, POD, { metadata: { labels: { a: "2" } } });
    expect((await evict()).status).toBe(201);
  });

  it("cannot satisfy two of them", async () => {
    await run(true);
    await budget({ disruptionsAllowed: 1 });
    await budget({ disruptionsAllowed: 1 }, { name: "c" });
    const { status, body } = await evict();
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message:
          "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
        code: 500,
      },
    });
  });
});
