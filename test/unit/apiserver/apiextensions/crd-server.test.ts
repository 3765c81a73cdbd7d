import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { yieldToEventLoop } from "../../../../src/apimachinery/scheduling/event-loop.ts";
import { crdOf, MERGE_PATCH, TestApi, versionWith } from "../endpoints/support.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const CRD = `${CRDS}/things.example.com`;
const THINGS = "/apis/example.com/v1/namespaces/default/things";
const ANYTHING = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const thing = (name: string, metadata: JsonObject = {}, version = "v1"): JsonObject => ({
  apiVersion: `example.com/${version}`,
  kind: "Thing",
  metadata: { name, ...metadata },
});

async function settled(api: TestApi): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await yieldToEventLoop();
  expect(api.internalErrors).toEqual([]);
}

const conditions = (body: JsonObject): string[] =>
  ((body["status"] as JsonObject)["conditions"] as JsonObject[]).map(
    ({ type, status, reason }) => `${type}=${status} ${reason}`,
  );

describe("a deleted definition", () => {
  test("is marked, takes its objects with it, and goes", async () => {
    await using api = await TestApi.open();
    await api.serve(crdOf([versionWith(ANYTHING)]));
    await api.post(THINGS, thing("a"));
    const marked = await api.send("DELETE", CRD);
    expect(conditions(marked.body)).toContain("Terminating=True InstanceDeletionPending");
    expect(marked.body["metadata"]).toMatchObject({
      generation: 1,
      finalizers: ["customresourcecleanup.apiextensions.k8s.io"],
      deletionTimestamp: expect.any(String),
    });
    expect(marked.body["metadata"]).not.toHaveProperty("deletionGracePeriodSeconds");
    await settled(api);
    expect((await api.get(CRD)).status).toBe(404);
    expect((await api.get(THINGS)).text).toBe("404 page not found\n");
  });

  test("is served until the last object is let go, but takes no new ones", async () => {
    await using api = await TestApi.open();
    await api.serve(crdOf([versionWith(ANYTHING)]));
    await api.post(THINGS, thing("held", { finalizers: ["example.com/hold"] }));
    await api.send("DELETE", CRD);
    await settled(api);
    expect(conditions((await api.get(CRD)).body)).toContain("Terminating=True InstanceDeletionInProgress");
    const refused = await api.post(THINGS, thing("late"));
    expect([refused.status, refused.body["message"]]).toEqual([
      403,
      'things.example.com "late" is forbidden: create not allowed while custom resource definition is terminating',
    ]);
    const free = { metadata: { finalizers: null } };
    expect((await api.patch(MERGE_PATCH, `${THINGS}/held`, free)).status).toBe(200);
    api.clock.advance(1000);
    await settled(api);
    expect((await api.get(CRD)).status).toBe(404);
  });

  test("stays with its own finalizers after its objects are gone", async () => {
    await using api = await TestApi.open();
    const crd = crdOf([versionWith(ANYTHING)]);
    Object.assign(crd["metadata"] as JsonObject, { finalizers: ["example.com/mine"] });
    await api.serve(crd);
    await api.send("DELETE", CRD);
    await settled(api);
    const { body } = await api.get(CRD);
    expect(conditions(body)).toContain("Terminating=False InstanceDeletionCompleted");
    expect(body["metadata"]).toMatchObject({ finalizers: ["example.com/mine"] });
    expect((await api.get(THINGS)).body["items"]).toEqual([]);
  });

  test("gives its names to the next one", async () => {
    await using api = await TestApi.open();
    await api.serve(crdOf([versionWith(ANYTHING)]));
    const other = crdOf([versionWith(ANYTHING)]);
    other["metadata"] = { name: "others.example.com" };
    other["spec"] = { ...(other["spec"] as JsonObject), names: { plural: "others", kind: "Thing" } };
    await api.post(CRDS, other);
    await settled(api);
    const before = await api.get(`${CRDS}/others.example.com`);
    expect(conditions(before.body)).toEqual([
      "NamesAccepted=False ListKindConflict",
      "Established=False NotAccepted",
    ]);
    await api.send("DELETE", CRD);
    await settled(api);
    const after = await api.get(`${CRDS}/others.example.com`);
    expect(conditions(after.body)).toEqual([
      "NamesAccepted=True NoConflicts",
      "Established=True InitialNamesAccepted",
    ]);
    expect((await api.get("/apis/example.com/v1/others")).status).toBe(200);
  });
});

describe("a watch", () => {
  test("ends with what its kind was, and sees its objects go first", async () => {
    await using api = await TestApi.open();
    await api.serve(crdOf([versionWith(ANYTHING)]));
    await api.post(THINGS, thing("a"));
    const watch = await api.watch(`${THINGS}?watch=1`);
    expect(await watch.names()).toEqual(["ADDED a"]);
    await api.send("DELETE", CRD);
    await settled(api);
    expect([await watch.names(), watch.isOpen]).toEqual([["DELETED a"], false]);
  });

  test("goes on when the definition changes in nothing that concerns it", async () => {
    await using api = await TestApi.open();
    await api.serve(crdOf([versionWith(ANYTHING)]));
    const watch = await api.watch(`${THINGS}?watch=1`);
    await api.patch(MERGE_PATCH, CRD, { metadata: { labels: { a: "b" } } });
    await settled(api);
    expect(watch.isOpen).toBe(true);
    await api.patch(MERGE_PATCH, CRD, { spec: { versions: [versionWith({ type: "object" })] } });
    await settled(api);
    expect(watch.isOpen).toBe(false);
  });
});

describe("two versions without a webhook", () => {
  const text = { type: "string" };
  const specs = [
    { type: "object", properties: { a: text, c: { ...text, default: "stored" } } },
    { type: "object", properties: { a: text, b: { ...text, default: "beta" } } },
  ];
  const crd = crdOf(
    specs.map((spec, index) =>
      versionWith(spec, {
        name: index === 0 ? "v1" : "v1beta1",
        storage: index === 0,
        deprecated: index === 1,
      }),
    ),
  );
  const beta = THINGS.replace("v1", "v1beta1");

  test("differ in what they know; what the stored one does not know is lost", async () => {
    await using api = await TestApi.open();
    await api.serve(crd);
    const made = await api.post(beta, { ...thing("a", {}, "v1beta1"), spec: { a: "1", b: "2" } });
    expect(made.body["spec"]).toEqual({ a: "1" });
    expect((await api.get(`${THINGS}/a`)).body).toMatchObject({
      apiVersion: "example.com/v1",
      spec: { a: "1", c: "stored" },
    });
    expect((await api.get(`${beta}/a`)).body).toMatchObject({
      apiVersion: "example.com/v1beta1",
      spec: { a: "1" },
    });
  });

  test("are the same to a dry run", async () => {
    await using api = await TestApi.open();
    await api.serve(crd);
    const dry = await api.post(`${beta}?dryRun=All`, {
      ...thing("a", {}, "v1beta1"),
      spec: { a: "1", b: "2" },
    });
    expect(dry.body).toMatchObject({ apiVersion: "example.com/v1beta1", spec: { a: "1" } });
    expect(dry.body["spec"]).toEqual({ a: "1" });
  });

  test("that are deprecated say which one to use", async () => {
    await using api = await TestApi.open();
    await api.serve(crd);
    expect((await api.get(beta)).warnings).toEqual([
      "example.com/v1beta1 Thing is deprecated; use example.com/v1 Thing",
    ]);
    expect((await api.get(THINGS)).warnings).toEqual([]);
  });

  test("keep old objects when the storage version changes, and bring them over with the next write", async () => {
    await using api = await TestApi.open();
    await api.serve(crd);
    await api.post(THINGS, { ...thing("a", { finalizers: ["example.com/x"] }), spec: { a: "1" } });
    const versions = [1, 0].map((stored, index) =>
      versionWith(specs[index] ?? {}, { name: index === 0 ? "v1" : "v1beta1", storage: stored === 0 }),
    );
    const changed = await api.patch(MERGE_PATCH, CRD, { spec: { versions } });
    expect(changed.body["status"]).toMatchObject({ storedVersions: ["v1", "v1beta1"] });
    await settled(api);
    expect((await api.get(`${beta}/a`)).body["spec"]).toEqual({ a: "1" });
    const marked = await api.send("DELETE", `${beta}/a`);
    expect(marked.body).toMatchObject({ apiVersion: "example.com/v1beta1", spec: { a: "1" } });
    expect((await api.get(`${THINGS}/a`)).body).toMatchObject({
      apiVersion: "example.com/v1",
      spec: { a: "1" },
    });
  });
});

test("a definition that comes with the server is not checked again, any other one is", async () => {
  await using api = await TestApi.open();
  const wrong = crdOf([{ ...versionWith(ANYTHING), schema: { openAPIV3Schema: { type: "string" } } }]);
  const refused = await api.serve(wrong);
  expect([refused.status, refused.body["reason"]]).toEqual([422, "Invalid"]);
});
