// Numbers in the Scale of a custom resource in a notation that Go does not print; kube-apiserver 1.36.3 rejects them.
import { afterAll, beforeAll, expect, test } from "vitest";
import { crdOf, JSON_PATCH, MERGE_PATCH, TestApi, THINGS, versionWith } from "../support.ts";

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.open();
  const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
  const spec = { type: "object", properties: { replicas: { type: "integer" } } };
  await api.serve(crdOf([versionWith(spec, { subresources: { scale } })]));
  const thing = {
    apiVersion: "example.com/v1",
    kind: "Thing",
    metadata: { name: "t" },
    spec: { replicas: 2 },
  };
  expect((await api.post(THINGS, thing)).status).toBe(201);
});
afterAll(() => api[Symbol.asyncDispose]());

test.each(["1.0", "1e0", "1.5", "2147483648"])("replicas of %s are refused", async (number) => {
  const path = `${THINGS}/t/scale`;
  const spec = `"spec":{"replicas":${number}}`;
  const put = `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"t","namespace":"default"},${spec}}`;
  expect((await api.put(path, put)).status).toBe(400);
  const why = `json: cannot unmarshal number ${number} into Go struct field ScaleSpec.spec.replicas of type int32`;
  const replaced = `[{"op":"replace","path":"/spec/replicas","value":${number}}]`;
  for (const [type, body] of [[MERGE_PATCH, `{${spec}}`] as const, [JSON_PATCH, replaced] as const]) {
    const { status, body: answer } = await api.patch(type, path, body);
    expect([status, answer["message"]]).toEqual([422, expect.stringContaining(why)]);
  }
});
