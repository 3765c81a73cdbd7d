// A kube-apiserver consists of several delegated servers behind one address, whose error texts differ.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { crdOf, JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, TestApi, THINGS, versionWith } from "./support.ts";

const CONFIG_MAP = "/api/v1/namespaces/default/configmaps/none";
const THING = `${THINGS}/none`;
const ALL = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.open();
  await api.serve(crdOf([versionWith({ type: "object" })]));
});
afterAll(() => api[Symbol.asyncDispose]());

describe("a form that there is not", () => {
  test.each(["/api", "/api/v1", "/apis/apps/v1", CONFIG_MAP])(
    "of %s is refused by the router",
    async (url) => {
      expect((await api.get(url, { accept: "x/y" })).body).toMatchObject({
        message: `406: Not Acceptable\n\nAvailable representations: ${ALL}`,
        details: {},
        code: 406,
      });
    },
  );

  test("of /version is any but JSON", async () => {
    const { status, text } = await api.get("/version", { accept: "application/yaml" });
    expect(status).toBe(406);
    expect(text).toMatch(/Available representations: application\/json\n/);
  });

  test.each(["/apis", "/apis/apps", "/apis/example.com", "/apis/example.com/v1", THING])(
    "of %s is refused by its handler",
    async (url) => {
      const { status, body } = await api.get(url, { accept: "x/y" });
      expect(status).toBe(406);
      expect(body["message"]).toBe(`only the following media types are accepted: ${ALL}`);
      expect(body["details"]).toBeUndefined();
    },
  );

  test("means nothing to the list of paths", async () => {
    const { status, text } = await api.get("/", { accept: "x/y" });
    expect(status).toBe(200);
    expect(text).toMatch(
      /^\{\n {2}"paths": \[\n {4}"\/\.well-known\/openid-configuration",\n {4}"\/api",\n.*"\/openapi\/v3\/",\n.*\n\}$/s,
    );
  });
});

describe("another form", () => {
  const as = (kind: string) => ({ accept: `application/json;as=${kind};g=meta.k8s.io;v=v1` });
  const REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { nonResourceAttributes: { path: "/", verb: "get" } },
  };

  test.each(["/api", "/apis", "/api/v1", "/apis/apps", "/apis/apps/v1", "/apis/example.com/v1"])(
    "is not what %s has",
    async (url) => {
      for (const kind of ["Table", "PartialObjectMetadata"])
        expect((await api.get(url, as(kind))).status).toBe(406);
    },
  );

  test("of a review is its metadata, and no Table", async () => {
    expect((await api.post(REVIEWS, review, as("Table"))).status).toBe(406);
    const either = { accept: `${as("Table").accept},application/json` };
    expect((await api.post(REVIEWS, review, either)).body).toMatchObject({ kind: review.kind });
    const metadata = await api.post(REVIEWS, review, as("PartialObjectMetadata"));
    expect(metadata).toMatchObject({ status: 201, body: { kind: "PartialObjectMetadata" } });
  });
});

describe("a patch of a type that there is not", () => {
  test("is refused by the router of built-in kinds", async () => {
    expect((await api.patch("x/y", CONFIG_MAP, {})).body).toMatchObject({
      message: "415: Unsupported Media Type",
      reason: "UnsupportedMediaType",
      details: {},
    });
  });

  test("is refused by the handler of custom kinds", async () => {
    const { status, body } = await api.patch(STRATEGIC_PATCH, THING, {});
    expect(status).toBe(415);
    expect(body["message"]).toMatch(
      /^the body of the request was in an unknown format - accepted media types/,
    );
  });
});

test.each([
  [MERGE_PATCH, CONFIG_MAP, "none"],
  [MERGE_PATCH, THING, []],
  [JSON_PATCH, CONFIG_MAP, {}],
  [STRATEGIC_PATCH, CONFIG_MAP, 3],
])("a patch (%s) of a missing object is not looked at: %s", async (type, url, body) => {
  expect(await api.patch(type, url, body)).toMatchObject({ status: 404, body: { reason: "NotFound" } });
});
