// Schemas and helpers for the tests of src/apimachinery/schema.
import { readFileSync } from "node:fs";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { describeFieldError, type FieldError } from "../../../../src/apimachinery/meta/field-error.ts";
import { compileSchema } from "../../../../src/apimachinery/schema/compile-schema.ts";
import { schemaLibrary, schemaRef } from "../../../../src/apimachinery/schema/go/schema-library.ts";
import type { JsonSchema, SchemaNode } from "../../../../src/apimachinery/schema/schema-node.ts";
import { validateSchema } from "../../../../src/apimachinery/schema/validate.ts";

const readFixture = (name: string): JsonObject =>
  JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), "utf8")) as JsonObject; // our own files

export type CustomFixture = "egressip" | "egressrouter" | "route" | "userdefinednetwork" | "vtep";

export const customSchema = (name: CustomFixture): JsonSchema => readFixture(name);

/** The node of a custom resource whose spec has these properties. */
export function customNode(properties: JsonObject, spec: JsonObject = {}): SchemaNode {
  return compileSchema({ type: "object", properties: { spec: { type: "object", properties, ...spec } } });
}

/** The node of a custom resource whose spec has the one property "x". */
export const fieldNode = (x: JsonObject): SchemaNode => customNode({ x });

const GROUPS = {
  core: "io.k8s.api.core.v1",
  discovery: "io.k8s.api.discovery.v1",
  coordination: "io.k8s.api.coordination.v1",
  meta: "io.k8s.apimachinery.pkg.apis.meta.v1",
  apiextensions: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1",
};

export const builtInNode = (group: keyof typeof GROUPS, kind: string): SchemaNode =>
  compileSchema(schemaRef(`${GROUPS[group]}.${kind}`), schemaLibrary().resolve);

/** Findings as they stand in the message of a Status; what belongs to no field begins with "<nil>". */
export const texts = (errors: readonly FieldError[]): string[] =>
  errors.map((error) => (error.field === "" ? `<nil>: ${error.message}` : describeFieldError(error)));

/** The validation errors for this value of a field. */
export const check = (schema: JsonObject, value: unknown): string[] =>
  texts(validateSchema(fieldNode(schema), { spec: { x: value } }));
