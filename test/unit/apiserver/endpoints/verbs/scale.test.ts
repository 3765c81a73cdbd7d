import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TestApi } from "../support.ts";

const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const SCALE = `${DEPLOYMENTS}/d/scale`;

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
  const labels = { a: "d" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
  const spec = { selector: { matchLabels: labels }, template };
  expect((await api.post(DEPLOYMENTS, { metadata: { name: "d" }, spec })).status).toBe(201);
});
afterEach(() => api[Symbol.asyncDispose]());

describe("a Scale of a built-in kind that is put", () => {
  const body = { metadata: { name: "d" }, spec: { replicas: 3 } };

  test.each([{}, { apiVersion: "autoscaling/v1", kind: "Scale" }])(
    "changes the replicas: %j",
    async (type) => {
      expect((await api.put(SCALE, { ...type, ...body })).body["spec"]).toEqual({ replicas: 3 });
    },
  );

  test.each([
    [
      "apps/v1",
      "Deployment",
      'Deployment in version "v1" cannot be handled as a Scale: converting (v1.Deployment) to (autoscaling.Scale): unknown conversion',
    ],
    [
      "foo/v1",
      "Scale",
      'Scale in version "v1" cannot be handled as a Scale: no kind "Scale" is registered for version "foo/v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
    [
      "autoscaling/v9",
      "Scale",
      'Scale in version "v9" cannot be handled as a Scale: no kind "Scale" is registered for version "autoscaling/v9" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
    [
      "extensions/v1beta1",
      "Scale",
      "the API version in the data (extensions/v1beta1) does not match the expected API version (autoscaling/v1)",
    ],
  ])("is refused as a %s %s", async (apiVersion, kind, message) => {
    const answer = await api.put(SCALE, { apiVersion, kind, ...body });
    expect([answer.status, answer.body["message"]]).toEqual([400, message]);
  });
});

test("a Scale is known where another kind is made, and is none", async () => {
  const answer = await api.post(DEPLOYMENTS, {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name: "e" },
  });
  expect([answer.status, answer.body["message"]]).toEqual([
    400,
    'Scale in version "v1" cannot be handled as a Deployment: converting (v1.Scale) to (apps.Deployment): unknown conversion',
  ]);
});
