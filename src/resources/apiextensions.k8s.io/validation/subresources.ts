// What a CRD says of /scale and of the columns of its tables: paths in dot notation.

import { type FieldError, invalid, required } from "../../../meta/field-error.ts";
import { type JsonObject, objectAt, textOf } from "../../../meta/json.ts";
import { append } from "../../../meta/lists.ts";

/** The paths of the scale subresource; path is that of subresources. */
export function validateSubresources(subresources: JsonObject | undefined, path: string): FieldError[] {
  const scale = objectAt(subresources, "scale");
  if (scale === undefined) return [];
  const at = (member: string): string => `${path}.scale.${member}`;
  const selector = textOf(scale["labelSelectorPath"]);
  return [
    ...requiredPathErrors(scale["specReplicasPath"], at("specReplicasPath"), ".spec"),
    ...requiredPathErrors(scale["statusReplicasPath"], at("statusReplicasPath"), ".status"),
    ...(selector === "" ? [] : selectorErrors(selector, at("labelSelectorPath"))),
  ];
}

function requiredPathErrors(value: unknown, field: string, parent: string): FieldError[] {
  const jsonPath = textOf(value);
  if (jsonPath === "") return [required(field)];
  const errors = simplePathErrors(jsonPath, field);
  if (errors.length > 0 || jsonPath.startsWith(`${parent}.`)) return errors;
  return [invalid(field, jsonPath, `should be a json path under ${parent}`)];
}

function selectorErrors(jsonPath: string, field: string): FieldError[] {
  const errors = simplePathErrors(jsonPath, field);
  if (errors.length > 0 || jsonPath.startsWith(".spec.") || jsonPath.startsWith(".status.")) return errors;
  return [invalid(field, jsonPath, "should be a json path under either .spec or .status")];
}

const COLUMN_TYPES = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

export function validateColumn(column: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const type = textOf(column["type"]);
  const format = textOf(column["format"]);
  const jsonPath = textOf(column["jsonPath"]);
  const types = `must be one of ${COLUMN_TYPES.join(",")}`;
  if (textOf(column["name"]) === "") errors.push(required(`${path}.name`));
  if (type === "") errors.push(required(`${path}.type`, types));
  else if (!COLUMN_TYPES.includes(type)) errors.push(invalid(`${path}.type`, type, types));
  if (format !== "" && !COLUMN_FORMATS.includes(format)) {
    errors.push(invalid(`${path}.format`, format, `must be one of ${COLUMN_FORMATS.join(",")}`));
  }
  if (jsonPath === "") errors.push(required(`${path}.JSONPath`));
  else append(errors, simplePathErrors(jsonPath, `${path}.JSONPath`));
  return errors;
}

function simplePathErrors(jsonPath: string, field: string): FieldError[] {
  return jsonPath.startsWith(".")
    ? []
    : [invalid(field, jsonPath, "must be a simple json path starting with .")];
}
