// A default for status as a whole, with the status subresource on, as kube-apiserver 1.36 answers: the strategy drops the
// status of a new object after it was defaulted, and the decoder of stored objects defaults it again.
import { beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { crdOf, MERGE_PATCH, TestApi, THINGS, thing } from "../../endpoints/support.ts";

const TEXT = { type: "string" };
const INT = { type: "integer" };
const status = (observedGeneration: number, more: JsonObject): JsonObject => ({
  type: "object",
  default: { observedGeneration },
  properties: { observedGeneration: INT, phase: TEXT, ...more },
});
const version = (name: string, ofStatus: JsonObject): JsonObject => ({
  name,
  served: true,
  storage: name === "v1",
  subresources: { status: {} },
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: { spec: { type: "object", properties: { n: INT } }, status: ofStatus },
      "x-kubernetes-validations": [{ rule: "!has(self.spec) || self.spec.n != 9 || !has(self.status)" }],
    },
  },
});
const CRD = crdOf([
  version("v1", status(-1, { d: { ...TEXT, default: "x" } })),
  version("v2", status(-2, { e: { ...TEXT, default: "y" } })),
]);
const CRD_URL = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com";
const THINGS_V2 = THINGS.replace("v1", "v2");
const DEFAULTED = { observedGeneration: -1, d: "x" };

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
  await api.serve(CRD);
  return () => api[Symbol.asyncDispose]();
});

const statusOf = async (url: string): Promise<unknown> => (await api.get(url)).body["status"];

test("create, get, list and watch show it", async () => {
  const watch = await api.watch(`${THINGS}?watch=1`);
  const created = await api.post(THINGS, thing("a", { status: { phase: "sent" } }));
  expect(created.body["status"]).toEqual(DEFAULTED);
  expect(await statusOf(`${THINGS}/a`)).toEqual(DEFAULTED);
  expect((await api.get(THINGS)).body["items"]).toMatchObject([{ status: DEFAULTED }]);
  expect(await watch.settled()).toMatchObject([{ type: "ADDED", object: { status: DEFAULTED } }]);
  await watch.close();
});

test("a dry run, an apply and another version show it", async () => {
  expect((await api.post(`${THINGS}?dryRun=All`, thing("a"))).body["status"]).toEqual(DEFAULTED);
  expect((await api.apply("m", `${THINGS}/a`, thing("a"))).body["status"]).toEqual(DEFAULTED);
  const other = { ...thing("b"), apiVersion: "example.com/v2" };
  // Defaults are those of the version in which it is stored.
  expect((await api.post(THINGS_V2, other)).body["status"]).toEqual({ observedGeneration: -1 });
  expect(await statusOf(`${THINGS_V2}/a`)).toEqual({ observedGeneration: -1 });
  expect(await statusOf(`${THINGS}/b`)).toEqual(DEFAULTED);
});

test("validation of a new object does not see it", async () => {
  expect((await api.post(THINGS, thing("a", { spec: { n: 9 } }))).status).toBe(201);
  const labels = { a: "b" };
  expect((await api.patch(MERGE_PATCH, `${THINGS}/a`, { metadata: { labels } })).status).toBe(422);
});

describe("an update", () => {
  beforeEach(async () => {
    await api.post(THINGS, thing("a", { spec: { n: 1 } }));
  });

  test("keeps it", async () => {
    const changed = await api.patch(MERGE_PATCH, `${THINGS}/a`, {
      spec: { n: 2 },
      status: { phase: "sent" },
    });
    expect(changed.body).toMatchObject({ metadata: { generation: 2 }, spec: { n: 2 }, status: DEFAULTED });
  });

  test("stores it, so that the first change of nothing is a revision, and the second none", async () => {
    const revision = async () => (await api.get(`${THINGS}/a`)).body["metadata"];
    const before = await revision();
    await api.patch(MERGE_PATCH, `${THINGS}/a`, {});
    const between = await revision();
    expect(between).not.toEqual(before);
    await api.patch(MERGE_PATCH, `${THINGS}/a`, {});
    expect(await revision()).toEqual(between);
  });

  test("of status fills it in where it is missing or null", async () => {
    const url = `${THINGS}/a/status`;
    const set = await api.patch(MERGE_PATCH, url, {
      status: { phase: "p", observedGeneration: null, d: null },
    });
    expect(set.body["status"]).toEqual({ phase: "p", d: "x" });
    expect((await api.patch(MERGE_PATCH, url, { status: null })).body["status"]).toEqual(DEFAULTED);
    expect(await statusOf(`${THINGS}/a`)).toEqual(DEFAULTED);
  });
});

test("a read shows the default of now until a write has stored one", async () => {
  await api.post(THINGS, thing("new"));
  await api.post(THINGS, thing("written", { spec: { n: 1 } }));
  await api.patch(MERGE_PATCH, `${THINGS}/written`, { spec: { n: 2 } });
  const path = "/spec/versions/0/schema/openAPIV3Schema/properties/status/default/observedGeneration";
  await api.patch("application/json-patch+json", CRD_URL, [{ op: "replace", path, value: -7 }]);
  await api.settled();
  expect(await statusOf(`${THINGS}/new`)).toEqual({ observedGeneration: -7, d: "x" });
  expect(await statusOf(`${THINGS}/written`)).toEqual(DEFAULTED);
});

test("without a default for status as a whole there is none", async () => {
  const nested = { type: "object", properties: { d: { ...TEXT, default: "x" } } };
  await api.serve(crdOf([version("v1", nested)], { kind: "Other" }));
  const url = "/apis/example.com/v1/namespaces/default/others";
  const other = { apiVersion: "example.com/v1", kind: "Other", metadata: { name: "a" } };
  expect((await api.post(url, { ...other, status: {} })).body).not.toHaveProperty("status");
  const set = await api.patch(MERGE_PATCH, `${url}/a/status`, { status: {} });
  expect(set.body["status"]).toEqual({ d: "x" });
});
