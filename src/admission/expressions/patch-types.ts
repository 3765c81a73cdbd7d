// What expressions of a mutating policy can make: Object and the objects below it, and the operations of a JSON patch.
import type { MessageType } from "../../cel/language/environment.ts";
import { type CelType, DYN, listOf, STRING, struct } from "../../cel/language/types.ts";
import { declare, type FunctionDecl } from "../../cel/library/declare.ts";
import { itemsOf, MessageValue } from "../../cel/values/collections.ts";
import { isList, isMap, type Value } from "../../cel/values/value.ts";

const OBJECT = "Object";
const OPERATION = "JSONPatch";

const OPERATION_FIELDS = new Map<string, CelType>([
  ["op", STRING],
  ["path", STRING],
  ["from", STRING],
  ["value", DYN],
]);

const operationType = struct(OPERATION, (name) => OPERATION_FIELDS.get(name));
/** The fields of objects are not known: whatever an expression puts into one is looked at when it is used. */
const objectType = (name: string): CelType => struct(name, () => DYN);

export const APPLIED_TYPE: CelType = objectType(OBJECT);
export const PATCH_TYPE: CelType = listOf(operationType);

export function patchMessageType(name: string): MessageType | undefined {
  if (name === OPERATION) return { type: operationType, field: (field) => OPERATION_FIELDS.get(field) };
  if (name === OBJECT || name.startsWith(`${OBJECT}.`)) return { type: objectType(name), field: () => DYN };
  return undefined;
}

/** A key as part of a JSON pointer. */
export const patchFunctions = (): FunctionDecl[] => [
  declare("jsonpatch.escapeKey(string) -> string", (key: string) =>
    key.replaceAll("~", "~0").replaceAll("/", "~1"),
  ),
];

/** Objects are called by their place: Object.spec stands at spec. What stands elsewhere, or undefined. */
export function misplacedObject(value: Value, name = OBJECT): string | undefined {
  if (value instanceof MessageValue) {
    if (value.name !== name) {
      const expected = `expected ${JSON.stringify(name)}, which matches field name path from root Object type`;
      return `unexpected type name ${JSON.stringify(value.name)}, ${expected}`;
    }
    return firstOf([...value.fields], ([field, inner]) => misplacedObject(inner, `${name}.${field}`));
  }
  if (isList(value)) return firstOf(itemsOf(value), (item) => misplacedObject(item, name));
  if (!isMap(value)) return undefined;
  return firstOf([...value.keys()], (key) => misplacedObject(value.find(key) ?? null, name));
}

function firstOf<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
