// Objects of built-in kinds generated from their schemas, for property tests.
import fc from "fast-check";
import { isObject, type JsonObject, objectAt, objectsAt } from "../../src/apimachinery/json/json.ts";
import type { SchemaNode } from "../../src/apimachinery/schema/schema-node.ts";

const text = fc.oneof(fc.constantFrom("", "a", "ä漢😀", "x".repeat(200)), fc.string({ unit: "grapheme" }));
const key = fc.oneof(fc.constantFrom("a", "b.c/d", "__proto__", ""), fc.string({ maxLength: 5 }));
const seconds = fc.integer({ min: -62_135_596_799, max: 253_402_300_799 });
const time = seconds.map((at) => `${new Date(at * 1000).toISOString().slice(0, 19)}Z`);
const microTime = fc
  .tuple(time, fc.integer({ min: 0, max: 999_999 }))
  .map(([whole, micros]) => `${whole.slice(0, -1)}.${String(micros).padStart(6, "0")}Z`);
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const int64 = fc.oneof(
  fc.maxSafeInteger(),
  fc.constantFrom(2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n, -(2n ** 53n) - 1n),
);
const base64 = fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString("base64"));
const anything = fc.constantFrom<unknown>({ "f:a": { ".": {} } }, { a: [1, "b", null, 0.5] }, {});

const SPECIAL: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  Time: time,
  MicroTime: microTime,
  Quantity: fc.constantFrom("0", "500m", "1", "1Gi", "1e3", "-5"),
  IntOrString: fc.oneof(int32, text),
  FieldsV1: anything,
  RawExtension: anything,
};

const made = new Map<SchemaNode, fc.Arbitrary<unknown>>();

function arbitraryOf(node: SchemaNode): fc.Arbitrary<unknown> {
  let arbitrary = made.get(node);
  if (arbitrary === undefined) {
    arbitrary = SPECIAL[node.intOrString ? "IntOrString" : (node.goType ?? "")] ?? plainArbitrary(node);
    made.set(node, arbitrary);
  }
  return arbitrary;
}

function plainArbitrary(node: SchemaNode): fc.Arbitrary<unknown> {
  switch (node.type) {
    case "string":
      return node.format === "byte" ? base64 : text;
    case "boolean":
      return fc.boolean();
    case "integer":
      return node.format === "int64" ? int64 : int32;
    case "array":
      return node.items === undefined ? fc.constant([]) : fc.array(arbitraryOf(node.items), { maxLength: 2 });
    default:
      return objectOf(node);
  }
}

/** An object of the type, which validation rules of the kind may reject. */
export function objectOf(node: SchemaNode): fc.Arbitrary<JsonObject> {
  const { additionalProperties } = node;
  if (typeof additionalProperties === "object") {
    return fc.dictionary(key, arbitraryOf(additionalProperties), { maxKeys: 2 });
  }
  const members: Record<string, fc.Arbitrary<unknown>> = {};
  for (const [name, property] of node.properties) members[name] = arbitraryOf(property);
  return fc.record(members, { requiredKeys: [] });
}

/**
 * Removes what protobuf cannot express. A list without items is absent. A Service's targetPort is no pointer in Go, so 0
 * is the same as unset. Embedded objects (claims in a StatefulSet) have no apiVersion and kind. Defaulting reads all of
 * them that way.
 */
export function leaveOutUnwritten(object: JsonObject): void {
  emptyListsToNull(object);
  const spec = objectAt(object, "spec");
  for (const port of objectsAt(spec, "ports")) if (port["targetPort"] === 0) delete port["targetPort"];
  const within = [...objectsAt(spec, "volumeClaimTemplates"), objectAt(object, "deleteOptions")];
  for (const inner of within) {
    delete inner?.["apiVersion"];
    delete inner?.["kind"];
  }
}

function emptyListsToNull(value: unknown): void {
  if (Array.isArray(value)) value.forEach(emptyListsToNull);
  else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (Array.isArray(member) && member.length === 0) value[name] = null;
      else emptyListsToNull(member);
    }
  }
}
