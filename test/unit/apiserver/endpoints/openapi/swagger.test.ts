import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type JsonObject, objectAt } from "../../../../../src/apimachinery/json/json.ts";
import { schemaLibrary } from "../../../../../src/apimachinery/schema/go/schema-library.ts";
import type { JsonSchema } from "../../../../../src/apimachinery/schema/schema-node.ts";
import { createOpenApi } from "../../../../../src/apiserver/endpoints/openapi/openapi.ts";
import {
  toSwaggerCustomSchema,
  toSwaggerSchema,
} from "../../../../../src/apiserver/endpoints/openapi/published-schema.ts";
import { builtIn, fromFacts } from "../discovery/definitions.ts";
import { withoutDescriptions } from "./without-descriptions.ts";

const file = new URL("./fixtures/coordination-v1.json", import.meta.url);
const coordination = JSON.parse(readFileSync(file, "utf8")) as JsonObject; // our own fixture
const definitions = objectAt(objectAt(coordination, "components"), "schemas");
const openApi = createOpenApi(
  (ref) => objectAt(definitions, ref.split("/").at(-1) ?? "") ?? schemaLibrary().published(ref),
);

const leases = builtIn("coordination.k8s.io", "leases", "Lease", "io.k8s.api.coordination.v1");
const all = [leases, fromFacts("egressips.k8s.ovn.org"), fromFacts("egressfirewalls.k8s.ovn.org")];

interface Swagger {
  readonly swagger: string;
  readonly info: JsonObject;
  readonly paths: Record<string, Record<string, JsonObject & { parameters?: JsonObject[] }>>;
  readonly definitions: Record<string, JsonObject>;
  readonly parameters: Record<string, JsonObject>;
}

const text = (await openApi.swagger(all)).json.toString();
const swagger = JSON.parse(text) as Swagger; // as our document writes it
const EIP = "/apis/k8s.ovn.org/v1/egressips";

describe("the Swagger 2.0 document", () => {
  test("covers all groups and names itself after Kubernetes", () => {
    expect(swagger.swagger).toBe("2.0");
    expect(swagger.info["title"]).toBe("Kubernetes");
    for (const path of ["/api/", "/apis/", "/version/", "/apis/coordination.k8s.io/", `${EIP}/{name}`])
      expect(swagger.paths).toHaveProperty([path]);
  });

  test("an operation names its media types, schemes and answers", () => {
    expect(withoutDescriptions(swagger.paths[`${EIP}/{name}`]?.["get"])).toEqual({
      consumes: ["application/json", "application/yaml"],
      operationId: "readK8sOvnOrgV1EgressIP",
      parameters: [{ $ref: "#/parameters/resourceVersion-5WAnf1kx" }],
      produces: ["application/json", "application/yaml"],
      responses: { 200: { schema: { $ref: "#/definitions/org.ovn.k8s.v1.EgressIP" } }, 401: {} },
      schemes: ["https"],
      tags: ["k8sOvnOrg_v1"],
      "x-kubernetes-action": "get",
      "x-kubernetes-group-version-kind": { group: "k8s.ovn.org", kind: "EgressIP", version: "v1" },
    });
    expect(swagger.paths[`${EIP}/{name}`]?.["get"]?.["responses"]).toMatchObject({
      200: { description: "OK" },
      401: { description: "Unauthorized" },
    });
  });

  test("parameters that many operations have are kept in one place, under fixed names", () => {
    const list = swagger.paths[EIP]?.["get"]?.parameters?.map((item) => item["$ref"]);
    expect(list).toEqual([
      "#/parameters/allowWatchBookmarks-HC2hJt-J",
      "#/parameters/continue-QfD61s0i",
      "#/parameters/fieldSelector-xIcQKXFG",
      "#/parameters/labelSelector-5Zw57w4C",
      "#/parameters/limit-1NfNmdNH",
      "#/parameters/resourceVersion-5WAnf1kx",
      "#/parameters/resourceVersionMatch-t8XhRHeC",
      "#/parameters/sendInitialEvents-rLXlEK_k",
      "#/parameters/shardSelector-Kgyki_3_",
      "#/parameters/timeoutSeconds-yvYezaOC",
      "#/parameters/watch-XNNPZGbK",
    ]);
    const used = [...text.matchAll(/"#\/parameters\/([^"]+)"/g)].map((match) => match[1] ?? "");
    expect(Object.keys(swagger.parameters).sort()).toEqual([...new Set(used)].sort());
  });

  test("dryRun and fieldValidation stand with the operation, because old clients look for them there", () => {
    const item = swagger.paths[`${EIP}/{name}`];
    const named = (method: string) =>
      item?.[method]?.parameters?.map((parameter) => parameter["name"]).filter((name) => name !== undefined);
    expect(named("delete")).toEqual(["dryRun"]);
    expect(named("patch")).toEqual(["dryRun", "fieldValidation"]);
    expect(named("put")).toEqual(["body", "dryRun", "fieldValidation"]);
    expect(item?.["patch"]?.["consumes"]).toEqual([
      "application/json-patch+json",
      "application/merge-patch+json",
      "application/apply-patch+yaml",
    ]);
  });

  test("a custom kind refers to the metadata of all objects", () => {
    const schema = swagger.definitions["org.ovn.k8s.v1.EgressIP"];
    expect(schema?.["x-kubernetes-group-version-kind"]).toEqual([
      { group: "k8s.ovn.org", kind: "EgressIP", version: "v1" },
    ]);
    expect(withoutDescriptions(objectAt(schema, "properties")?.["metadata"])).toEqual({
      $ref: "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
    });
  });

  test("every reference has its target", () => {
    const targets = [...text.matchAll(/"#\/definitions\/([^"]+)"/g)].map((match) => match[1] ?? "");
    expect([...new Set(targets)].filter((name) => !(name in swagger.definitions))).toEqual([]);
    expect(text).not.toContain("#/components/");
  });
});

describe("schemas in the old form", () => {
  test.each<{ rule: string; schema: JsonSchema; old: JsonSchema }>([
    {
      rule: "a reference loses the allOf around it and its default",
      schema: { description: "d", default: {}, allOf: [{ $ref: "#/components/schemas/a.B" }] },
      old: { description: "d", $ref: "#/definitions/a.B" },
    },
    {
      rule: "alternatives of simple types are a text",
      schema: { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
      old: { format: "int-or-string", type: "string" },
    },
    {
      rule: "defaults are dropped at every depth, but not members of that name",
      schema: {
        type: "object",
        properties: { default: { type: "string", default: "x" } },
        additionalProperties: { type: "array", items: { type: "string", default: "" } },
      },
      old: {
        type: "object",
        properties: { default: { type: "string" } },
        additionalProperties: { type: "array", items: { type: "string" } },
      },
    },
  ])("$rule", ({ schema, old }) => {
    expect(toSwaggerSchema(schema)).toEqual(old);
  });

  const kind = { "x-kubernetes-group-version-kind": [{ group: "g", kind: "K", version: "v1" }] };
  const simplified = (schema: JsonSchema): unknown =>
    objectAt(toSwaggerCustomSchema({ type: "object", properties: { p: schema }, ...kind }), "properties")?.[
      "p"
    ];

  test.each<{ rule: string; schema: JsonSchema; old: JsonSchema }>([
    {
      rule: "alternatives are dropped",
      schema: { type: "string", anyOf: [{ minLength: 1 }], not: { enum: ["a"] }, allOf: [{ maxLength: 3 }] },
      old: { type: "string" },
    },
    {
      rule: "a value that may be null has neither type nor members",
      schema: { type: "object", nullable: true, properties: { a: { type: "string" } } },
      old: {},
    },
    {
      rule: "an object that keeps unknown fields has neither type nor members",
      schema: { type: "object", properties: { a: {} }, "x-kubernetes-preserve-unknown-fields": true },
      old: { "x-kubernetes-preserve-unknown-fields": true },
    },
    {
      rule: "a list of anything has no type",
      schema: { type: "array", items: {}, "x-kubernetes-preserve-unknown-fields": true },
      old: { "x-kubernetes-preserve-unknown-fields": true },
    },
    {
      rule: "a member that may be null is not required",
      schema: {
        type: "object",
        required: ["a", "b"],
        properties: { a: { type: "string", nullable: true }, b: { type: "string" } },
      },
      old: { type: "object", required: ["b"], properties: { a: {}, b: { type: "string" } } },
    },
  ])("$rule", ({ schema, old }) => {
    expect(simplified(schema)).toEqual(old);
  });

  test("a kind that keeps unknown fields is an object without members", () => {
    const schema = { type: "object", properties: { spec: {} }, "x-kubernetes-preserve-unknown-fields": true };
    expect(toSwaggerCustomSchema({ ...schema, ...kind })).toEqual({ type: "object", ...kind });
  });
});
