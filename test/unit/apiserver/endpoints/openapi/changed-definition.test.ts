// After a change of one definition among many, the documents equal freshly built ones, and the other definitions are not
// read for it.
import { expect, test } from "vitest";
import { schemaLibrary } from "../../../../../src/apimachinery/schema/go/schema-library.ts";
import { createOpenApi } from "../../../../../src/apiserver/endpoints/openapi/openapi.ts";
import type { RenderedDocument } from "../../../../../src/apiserver/endpoints/openapi/rendered-document.ts";
import type { ResourceDefinition } from "../../../../../src/apiserver/registry/definition/resource-definition.ts";
import { custom, version } from "../discovery/definitions.ts";

let schemasRead: string[] = [];

const NAMES = ["birds", "apples", "cats"];

function definition(resource: string, changes: Partial<ResourceDefinition> = {}): ResourceDefinition {
  const versions = ["v1", "v2"].map((name) => ({
    ...version(name, {}),
    get schema() {
      schemasRead.push(`${resource}/${name}`);
      return { type: "object", properties: { spec: { type: "object", description: `of ${resource}` } } };
    },
  }));
  return {
    ...custom("shop.example.com", resource, `K${resource}`, { namespaceScoped: false }),
    versions,
    ...changes,
  };
}

const openApi = () => createOpenApi(schemaLibrary().published);
const CHANGED = definition("apples", { shortNames: ["ap"], namespaceScoped: true });
const before = NAMES.map((name) => definition(name));
const after = before.map((item) => (item.resource === "apples" ? CHANGED : item));

type Made = ReturnType<typeof openApi>;
const DOCUMENTS: readonly [string, (made: Made, all: readonly ResourceDefinition[]) => unknown][] = [
  ["Swagger 2.0", (made, all) => made.swagger(all)],
  ["OpenAPI 3.0", (made, all) => made.document(all, "apis/shop.example.com/v1")],
  ["the index", (made, all) => made.index(all)],
];

test.each(DOCUMENTS)("%s is as if it were new, and others are not read for it", async (_what, make) => {
  const made = openApi();
  const bytes = async (from: Made, all: readonly ResourceDefinition[]) => {
    const { json, protobuf, hash } = (await make(from, all)) as RenderedDocument; // as they are
    return { hash, text: json.toString(), protobuf: (await protobuf?.())?.toString("hex") };
  };
  const first = await bytes(made, before);
  schemasRead = [];
  const second = await bytes(made, after);
  expect(new Set(schemasRead.map((name) => name.split("/")[0]))).toEqual(new Set(["apples"]));
  expect(second).toEqual(await bytes(openApi(), after));
  expect(second.hash).not.toBe(first.hash);
  schemasRead = [];
  expect(await bytes(made, [...before])).toEqual(first);
  expect(schemasRead).toEqual([]);
});
