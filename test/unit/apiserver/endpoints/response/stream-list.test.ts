import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { escapeHtml } from "../../../../../src/apimachinery/json/json-encode.ts";
import { encodeProtobuf } from "../../../../../src/apiserver/endpoints/protobuf/codec.ts";
import { prettyJson } from "../../../../../src/apiserver/endpoints/response/answer-text.ts";
import { STREAMED_ITEMS_MIN } from "../../../../../src/apiserver/endpoints/response/respond-list.ts";
import { toYaml } from "../../../../../src/apiserver/endpoints/response/to-yaml.ts";
import { configMap, crdOf, TestApi, THINGS, thing, versionWith } from "../support.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const MANY = STREAMED_ITEMS_MIN + 20;
const ANY = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const texts = ["plain", "a: b\n- c\n", " \n", "é😀", '"quoted"', "yes", ""];

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.open();
  await api.serve(crdOf([versionWith(ANY)]));
  for (let index = 0; index < MANY; index++) {
    const data = { text: texts[index % texts.length] ?? "" };
    await api.post(CONFIG_MAPS, configMap(`c-${index}`, { data }));
    await api.post(THINGS, thing(`t-${index}`, { spec: { ...data, list: [[], {}, [1, { a: null }]] } }));
  }
});
afterAll(() => api[Symbol.asyncDispose]());

/** A body that was read keeps its members in the order in which they came. */
const asSent = (body: unknown): string => escapeHtml(JSON.stringify(body));
const as = (accept: string) => ({ accept });

describe.each([
  ["a built-in kind", CONFIG_MAPS],
  ["a custom kind", THINGS],
])("a long list of %s", (_kind, path) => {
  test.each([
    ["application/yaml", "", (list: unknown) => toYaml(asSent(list))],
    ["application/json", "?pretty=true", (list: unknown) => `${prettyJson(asSent(list))}\n`],
  ])("as %s%s has the bytes that it would have as a whole", async (accept, query, whole) => {
    const { body } = await api.get(path);
    expect((body["items"] as unknown[]).length).toBeGreaterThanOrEqual(MANY);
    expect((await api.get(path + query, as(accept))).text).toBe(whole(body));
  });

  test.each([
    ["Table", "rows"],
    ["PartialObjectMetadataList", "items"],
  ])("as a %s is the same as in pages", async (kind, member) => {
    const accept = `application/json;as=${kind};v=v1;g=meta.k8s.io`;
    const { body, text } = await api.get(path, as(accept));
    expect(text).toBe(`${asSent(body)}\n`);
    const pages: unknown[] = [];
    for (let next = ""; ; ) {
      const page = await api.get(`${path}?limit=50${next}`, as(accept));
      pages.push(...(page.body[member] as unknown[]));
      const token = (page.body["metadata"] as JsonObject)["continue"];
      if (!token) break;
      next = `&continue=${token}`;
    }
    expect(body[member]).toEqual(pages);
  });
});

test("as protobuf has the bytes that it would have as a whole", async () => {
  const { body } = await api.get(CONFIG_MAPS);
  const { text } = await api.get(CONFIG_MAPS, as("application/vnd.kubernetes.protobuf"));
  expect(text).toBe(encodeProtobuf("v1", "ConfigMapList", body).toString("utf8"));
});
