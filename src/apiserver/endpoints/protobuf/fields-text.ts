// The text of a field set (FieldsV1) in Go's order: field names before keys of list items, then values of sets. Keys
// are compared by their values, numbers numerically. In JSON of custom kinds a field set is a plain map, sorted by
// the texts of its keys.
import { isObject } from "../../../apimachinery/json/json.ts";
import { encodeJson, sortedKeys } from "../../../apimachinery/json/json-encode.ts";
import {
  comparePathElements,
  type PathElement,
  PathElementError,
  parsePathElement,
} from "../../../apimachinery/patch/apply/fields/field-path.ts";

export function fieldsText(value: unknown): string {
  if (!isObject(value)) return encodeJson(value);
  const members = stepsOf(value).map((key) => `${JSON.stringify(key)}:${fieldsText(value[key])}`);
  return `{${members.join(",")}}`;
}

const IS_ITEM = /^[kvi]:/;

function stepsOf(fields: object): string[] {
  const keys = sortedKeys(fields);
  if (!keys.some((key) => IS_ITEM.test(key))) return keys;
  const known: { key: string; element: PathElement }[] = [];
  const others = keys.filter((key) => {
    const element = elementOf(key);
    if (element !== undefined) known.push({ key, element });
    return element === undefined;
  });
  known.sort((a, b) => comparePathElements(a.element, b.element));
  return others.concat(known.map(({ key }) => key));
}

/** undefined: the set itself ("."), or an unknown element. */
function elementOf(key: string): PathElement | undefined {
  try {
    return parsePathElement(key);
  } catch (error) {
    if (error instanceof PathElementError) return undefined;
    throw error;
  }
}
