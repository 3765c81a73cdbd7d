import { expect, test } from "vitest";
import { compileSchema } from "../../../../src/apimachinery/schema/compile-schema.ts";
import { builtInNode, customNode, customSchema } from "./support.ts";

test("the root of a custom resource has apiVersion, kind and metadata though the schema does not spell them out", () => {
  const node = compileSchema({ type: "object", properties: {} });
  expect([...node.properties.keys()]).toEqual(["apiVersion", "kind", "metadata"]);
  const metadata = node.properties.get("metadata");
  expect(metadata?.goType).toBe("ObjectMeta");
  expect(metadata?.properties.get("finalizers")?.listType).toBe("set");
  expect(metadata?.properties.get("ownerReferences")?.listMapKeys).toEqual(["uid"]);
  expect(metadata?.properties.get("labels")?.additionalProperties).toMatchObject({ type: "string" });
});

test("what a schema says of the name stands beside the members of ObjectMeta", () => {
  const name = { type: "string", pattern: "^default$" };
  const raw = { type: "object", properties: { name } };
  const metadata = compileSchema({ type: "object", properties: { metadata: raw } }).properties.get(
    "metadata",
  );
  expect(metadata?.raw).toBe(raw);
  expect(metadata?.properties.get("name")?.raw).toBe(name);
  expect(metadata?.properties.has("labels")).toBe(true);
});

test("an embedded resource has them too, other objects have not", () => {
  const node = customNode({
    resource: { type: "object", "x-kubernetes-embedded-resource": true, properties: {} },
    plain: { type: "object", properties: {} },
  });
  const spec = node.properties.get("spec");
  expect(spec?.properties.get("resource")?.properties.get("metadata")?.goType).toBe("ObjectMeta");
  expect(spec?.properties.get("plain")?.properties.size).toBe(0);
});

test("the keywords of structure, lists and maps are read", () => {
  const spec = compileSchema(customSchema("route")).properties.get("spec");
  expect(spec?.required).toEqual(["to"]);
  expect(spec?.properties.get("alternateBackends")).toMatchObject({
    type: "array",
    listType: "map",
    listMapKeys: ["name", "kind"],
  });
  expect(spec?.properties.get("port")?.properties.get("targetPort")).toMatchObject({
    intOrString: true,
    type: undefined,
  });
  expect(spec?.properties.get("wildcardPolicy")?.default).toBe("None");
});

test("a type of a built-in kind is compiled once and carries its Go name", () => {
  const node = builtInNode("core", "Service");
  expect(node).toMatchObject({ goType: "Service", typeName: "io.k8s.api.core.v1.Service" });
  expect(builtInNode("core", "Service")).toBe(node);
  expect(node.properties.get("spec")).toMatchObject({ goType: "ServiceSpec", default: {} });
  expect(node.properties.get("spec")?.properties.get("ports")).toMatchObject({
    patchStrategies: ["merge"],
    patchMergeKey: "port",
    listMapKeys: ["port", "protocol"],
  });
});

test("a type that contains itself is a cycle", () => {
  const props = builtInNode("apiextensions", "JSONSchemaProps");
  expect(props.properties.get("not")).toBe(props);
  expect(props.properties.get("properties")?.additionalProperties).toBe(props);
  expect(props.properties.get("items")?.properties).toBe(props.properties);
  expect(props.properties.get("items")?.items).toBe(props);
});

test("types that read their own JSON are known by name", () => {
  const spec = builtInNode("core", "Service").properties.get("spec");
  const port = spec?.properties.get("ports")?.items;
  expect(port?.properties.get("targetPort")).toMatchObject({ intOrString: true, type: undefined });
  const entry = builtInNode("meta", "ObjectMeta").properties.get("managedFields")?.items;
  expect(entry?.properties.get("fieldsV1")).toMatchObject({ preserveUnknownFields: true, type: undefined });
});

test("a reference to an unknown type is a mistake of the schema", () => {
  expect(() => compileSchema({ type: "object", properties: { x: { $ref: "#/nowhere" } } })).toThrow(
    "no type is known as #/nowhere",
  );
});
