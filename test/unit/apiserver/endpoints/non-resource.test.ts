// Discovery, OpenAPI and the version, as clients receive them.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  decodeProtobuf,
  encodeProtobuf,
  PROTOBUF_TYPE,
} from "../../../../src/apiserver/endpoints/protobuf/codec.ts";
import { crdOf, TestApi, versionWith } from "./support.ts";

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.open();
  await api.serve(crdOf([versionWith({ type: "object" })]));
});
afterAll(() => api[Symbol.asyncDispose]());

describe("aggregated discovery", () => {
  const PARAMS = ["g=apidiscovery.k8s.io", "v=v2", "as=APIGroupDiscoveryList"];
  const aggregated = (media: string, params = PARAMS) => ({ accept: [media, ...params].join(";") });

  test.each(["application/json", "application/*", "*/*"])("is JSON for %s, in any order", async (media) => {
    for (const params of [PARAMS, PARAMS.toReversed()]) {
      const { status, headers } = await api.get("/apis", aggregated(media, params));
      expect(status).toBe(200);
      expect(headers["content-type"]).toBe(`application/json;${PARAMS.join(";")}`);
    }
  });

  test("can be protobuf, in which all of it is", async () => {
    const { headers, text } = await api.get("/apis", aggregated(PROTOBUF_TYPE));
    expect(headers["content-type"]).toBe(`${PROTOBUF_TYPE};${PARAMS.join(";")}`);
    expect(text).toMatch(/^k8s\0.*APIGroupDiscoveryList/s);
    const { body } = await api.get("/apis", aggregated("application/json"));
    const bytes = encodeProtobuf("apidiscovery.k8s.io/v2", "APIGroupDiscoveryList", body);
    expect(decodeProtobuf(bytes, { apiVersion: "", kind: "" }).value).toMatchObject(body);
  });

  test("is not sent again to who has it, by its very tag", async () => {
    const json = aggregated("application/json");
    const { etag = "" } = (await api.get("/apis", json)).headers;
    const again = await api.get("/apis", { ...json, "if-none-match": String(etag) });
    expect(again).toMatchObject({ status: 304, text: "", headers: { etag, vary: "Accept" } });
    for (const other of ["*", `W/${etag}`])
      expect((await api.get("/apis", { ...json, "if-none-match": other })).status).toBe(200);
  });
});

test("the type of a custom kind is described in the words that clients look for", async () => {
  const { body } = await api.get("/openapi/v3/apis/example.com/v1");
  expect(body).toMatchObject({
    components: {
      schemas: {
        "com.example.v1.Thing": {
          properties: {
            apiVersion: { description: expect.stringMatching(/^APIVersion defines/) },
            kind: { description: expect.stringMatching(/^Kind is/) },
          },
        },
      },
    },
  });
});

test("what does not say its version has its members in Go's order, too", async () => {
  expect((await api.get("/api")).text).toMatch(/^\{"kind":"APIVersions","versions":/);
  expect((await api.get("/api/v1")).text).toMatch(/^\{"kind":"APIResourceList","groupVersion":"v1",/);
  expect((await api.get("/version")).text).toMatch(/^\{\n {2}"major": "1",\n/);
});

test("the index of OpenAPI is sent as a text; a document that there is not has no text", async () => {
  const index = await api.get("/openapi/v3", { accept: "x/y" });
  expect(index).toMatchObject({ status: 200, headers: { "content-type": "text/plain; charset=utf-8" } });
  expect(JSON.parse(index.text)).toHaveProperty(["paths", "api/v1", "serverRelativeURL"]);
  for (const path of ["/openapi/v3/", "/openapi/v3/apis/none"])
    expect(await api.get(path)).toMatchObject({ status: 404, text: "", headers: {} });
  expect(await api.get("/openapi/v2/none")).toMatchObject({ status: 404, text: "404 page not found\n" });
});
