// What expressions of admission can see of a request and of its namespace, as types; fields that are not declared here
// are refused when an expression is compiled. And what those of a mutating policy can make: Object and the objects below
// it, and the operations of a JSON patch.
import { type CelType, DYN, listOf, struct } from "../../cel/language/types.ts";
import { declare, type FunctionDecl, typeOfText } from "../../cel/library/declare.ts";
import { itemsOf, MessageValue } from "../../cel/values/collections.ts";
import { isList, isMap, type Value } from "../../cel/values/value.ts";

/** A type with these fields and no others: "name: type, …" in the notation of signatures, and further types. */
function object(name: string, fields: string, others: Readonly<Record<string, CelType>> = {}): CelType {
  const types = new Map(Object.entries(others));
  for (const [, field = "", type = ""] of fields.matchAll(/(\w+): (\w+(?:\([^)]*\)+)?)/g))
    types.set(field, typeOfText(type));
  return struct(name, (field) => types.get(field));
}

const kind = object("kubernetes.GroupVersionKind", "group: string, version: string, kind: string");
const resource = object(
  "kubernetes.GroupVersionResource",
  "group: string, version: string, resource: string",
);
const userInfo = object(
  "kubernetes.UserInfo",
  "username: string, uid: string, groups: list(string), extra: map(string, list(string))",
);

export const REQUEST_TYPE: CelType = object(
  "kubernetes.AdmissionRequest",
  "subResource: string, requestSubResource: string, name: string, namespace: string, operation: string, dryRun: bool, options: dyn",
  { kind, resource, requestKind: kind, requestResource: resource, userInfo },
);

const condition = object(
  "kubernetes.NamespaceCondition",
  "status: string, type: string, lastTransitionTime: timestamp, message: string, reason: string",
);

const metadata = object(
  "kubernetes.NamespaceMetadata",
  `name: string, generateName: string, namespace: string, labels: map(string, string),
   annotations: map(string, string), UID: string, creationTimestamp: timestamp, deletionGracePeriodSeconds: int,
   deletionTimestamp: timestamp, generation: int, resourceVersion: string, finalizers: list(string)`,
);

export const NAMESPACE_TYPE: CelType = object("kubernetes.Namespace", "", {
  metadata,
  spec: object("kubernetes.NamespaceSpec", "finalizers: list(string)"),
  status: object("kubernetes.NamespaceStatus", "phase: string", { conditions: listOf(condition) }),
});

const OBJECT = "Object";
const OPERATION = "JSONPatch";

const operationType = object(OPERATION, "op: string, path: string, from: string, value: dyn");
/** The fields of objects are not known: whatever an expression puts into one is looked at when it is used. */
const objectType = (name: string): CelType => struct(name, () => DYN);

export const APPLIED_TYPE: CelType = objectType(OBJECT);
export const PATCH_TYPE: CelType = listOf(operationType);

export function patchMessageType(name: string): CelType | undefined {
  if (name === OPERATION) return operationType;
  return name === OBJECT || name.startsWith(`${OBJECT}.`) ? objectType(name) : undefined;
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
