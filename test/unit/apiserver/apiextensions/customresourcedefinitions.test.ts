import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { crdOf, MERGE_PATCH, TestApi, versionWith } from "../endpoints/support.ts";

const CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
  await api.serve(crdOf([versionWith({ type: "object" })]));
});
afterEach(() => api[Symbol.asyncDispose]());

describe("a write of /status stores labels that nobody owns", () => {
  const labels = { a: "1" };
  const metadata = { name: "things.example.com", labels };
  const applied = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata };

  test.each([
    ["merge patch", () => api.patch(MERGE_PATCH, `${CRD}/status?fieldManager=me`, { metadata: { labels } })],
    ["apply", () => api.apply("me", `${CRD}/status`, applied)],
  ])("%s", async (_way, write) => {
    expect((await write()).status).toBe(200);
    const { metadata: stored } = (await api.get(CRD)).body as unknown as KubeObject; // what was just written
    expect(stored.labels).toEqual(labels);
    expect(JSON.stringify(stored.managedFields)).not.toContain("f:labels");
    expect(stored.managedFields?.map(({ manager }) => manager)).not.toContain("me");
  });
});
