// What is posted below a pod: a Binding gives it to a node, an Eviction asks it to leave.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../../../src/meta/json.ts";
import { type Answer, TestApi } from "../../../../apiserver/support.ts";

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
