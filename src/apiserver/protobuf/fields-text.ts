// The text of a set of fields (FieldsV1) as Go writes it: names of members before keys of items of lists, these by their
// values, of which numbers are compared as numbers, then values of sets. In JSON of custom kinds such a set is a map as any
// other, sorted by the texts of its keys.
import { isObject } from "../../meta/json.ts";
import { encodeJson, sortedKeys } from "../../meta/json-encode.ts";
import {
  comparePathElements,
  type PathElement,
  PathElementError,
  parsePathElement,
} from "../../patch/apply/fields/field-path.ts";

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

/** undefined: it is the set itself ("."), or nothing that is known. */
function elementOf(key: string): PathElement | undefined {
  try {
    return parsePathElement(key);
  } catch (error) {
    if (error instanceof PathElementError) return undefined;
    throw error;
  }
}
