// Fields by which the objects of a kind can be selected: scalars outside of metadata, each named by a dotted path that
// leads through the schema.
import { duplicate, type FieldError, invalid, required, tooMany } from "../../../meta/field-error.ts";
import { isObject, type JsonObject, objectAt, textOf } from "../../../meta/json.ts";
import type { JsonSchema } from "../../../schema/schema-node.ts";

const FIELDS_MAX = 8;
const SCALARS: ReadonlySet<unknown> = new Set(["string", "boolean", "integer"]);
const NOT_A_SCALAR =
  "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";

export interface SelectableRules {
  readonly schema: JsonSchema;
  readonly path: string;
  /** There were more of them before, and they did not change. */
  readonly mayBeTooMany: boolean;
}

export function validateSelectableFields(
  fields: readonly JsonObject[],
  { schema, path, mayBeTooMany }: SelectableRules,
): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, item] of fields.entries()) {
    const field = `${path}[${index}].jsonPath`;
    const jsonPath = textOf(item["jsonPath"]);
    if (jsonPath === "") {
      errors.push(required(field));
      continue;
    }
    const found = follow(jsonPath, schema);
    if (typeof found === "string") {
      errors.push(invalid(field, jsonPath, `is an invalid path: ${found}`));
      continue;
    }
    if (found.root === "metadata")
      errors.push(invalid(field, jsonPath, "must not point to fields in metadata"));
    if (!SCALARS.has(found.schema?.["type"])) errors.push(invalid(field, jsonPath, NOT_A_SCALAR));
    if (seen.has(found.shown)) errors.push(duplicate(field, jsonPath));
    seen.add(found.shown);
  }
  if (seen.size > FIELDS_MAX && !mayBeTooMany) errors.push(tooMany(path, seen.size, FIELDS_MAX));
  return errors;
}

export const hasTooMany = (fields: readonly JsonObject[]): boolean => fields.length > FIELDS_MAX;

interface Found {
  readonly schema: JsonSchema | undefined;
  /** The first name of the path. */
  readonly root: string;
  /** The same for all ways to write one path. */
  readonly shown: string;
}

const ENDS = "unexpected end of JSON path";
const LEADS_NOWHERE = "does not refer to a valid field";
/** A delimiter, a quoted text, or what stands between delimiters. */
const TOKEN = /[.[\]]|'(?:[^'\\]|\\[\s\S])*'|[^.[\]]+/g;

/** Where a path leads, or what is wrong with it. */
function follow(jsonPath: string, start: JsonSchema): Found | string {
  const tokens = jsonPath.match(TOKEN) ?? [];
  let schema: JsonSchema | undefined = start;
  const names: string[] = [];
  for (let index = 0; index < tokens.length; index += 2) {
    if (tokens[index] === "[") return "array notation is not allowed";
    if (tokens[index] !== ".") return `expected [ or . but got: ${tokens[index]}`;
    const name = tokens[index + 1];
    if (name === undefined) return ENDS;
    const properties = objectAt(schema, "properties");
    const values: unknown = schema?.["additionalProperties"];
    const below: unknown = properties ? properties[name] : values;
    if (below === undefined || (properties && !isObject(below))) return LEADS_NOWHERE;
    schema = isObject(below) ? below : undefined;
    names.push(properties ? name : `[${name}]`);
  }
  return { schema, root: names[0] ?? "", shown: names.join(".") };
}
