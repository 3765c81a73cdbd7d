// The formats of cases and of their reports as JSON Schema, for editors and other programs.

import { isObject } from "../../apimachinery/json/json.ts";
import type { ControlSchema } from "../../features/control-surface/control-route.ts";
import { CASE, REPORT } from "./format.ts";

const DRAFT = "https://json-schema.org/draft/2020-12/schema";

/** By file name. */
export const caseSchemas = (): ReadonlyMap<string, object> =>
  new Map([
    ["egret__case_schema.json", schemaOf("A case of egret case run", CASE)],
    ["egret__case-report_schema.json", schemaOf("What egret case run -o json prints of a case", REPORT)],
  ]);

const schemaOf = (title: string, schema: ControlSchema): object => ({
  $schema: DRAFT,
  title,
  ...(asJsonSchema(schema) as object), // a schema is an object
});

/** Converts `nullable` of OpenAPI 3.0 to the type "null" of JSON Schema. */
function asJsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asJsonSchema);
  if (!isObject(value)) return value;
  const { nullable, ...rest } = value;
  const copy = Object.fromEntries(Object.entries(rest).map(([key, member]) => [key, asJsonSchema(member)]));
  return nullable === true && typeof copy["type"] === "string"
    ? { ...copy, type: [copy["type"], "null"] }
    : copy;
}
