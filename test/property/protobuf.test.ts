// Laws of the protobuf form, over objects of every built-in kind that are made up from its schema.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeProtobuf, encodeProtobuf, protobufLength } from "../../src/apiserver/protobuf/codec.ts";
import { ProtobufDecodeError } from "../../src/apiserver/protobuf/value-types.ts";
import { cloneJson, isObject, type JsonObject, objectAt, objectsAt } from "../../src/meta/json.ts";
import { apiVersionOf } from "../../src/registry/definition/view.ts";
import { BUILT_IN_RESOURCES } from "../../src/resources/index.ts";
import { compileSchema } from "../../src/schema/compile-schema.ts";
import { schemaLibrary } from "../../src/schema/go/schema-library.ts";
import { normaliseBuiltIn } from "../../src/schema/normalise.ts";
import type { SchemaNode } from "../../src/schema/schema-node.ts";

const RUNS = 40;

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

function objectOf(node: SchemaNode): fc.Arbitrary<JsonObject> {
  const { additionalProperties } = node;
  if (typeof additionalProperties === "object") {
    return fc.dictionary(key, arbitraryOf(additionalProperties), { maxKeys: 2 });
  }
  const members: Record<string, fc.Arbitrary<unknown>> = {};
  for (const [name, property] of node.properties) members[name] = arbitraryOf(property);
  return fc.record(members, { requiredKeys: [] });
}

interface TestedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly node: SchemaNode;
  readonly isListed: boolean;
}

/** Schemas may contain themselves without an end, so that CustomResourceDefinitions have tests of their own. */
const served: readonly TestedKind[] = BUILT_IN_RESOURCES.filter(
  ({ kind }) => kind !== "CustomResourceDefinition",
).flatMap((definition) =>
  definition.versions.map((version) => ({
    kind: definition.kind,
    apiVersion: apiVersionOf({ definition, version }),
    node: version.node,
    isListed: definition.verbs.includes("list"),
  })),
);

/** What is posted to subresources and is no kind of its own. */
const posted: readonly TestedKind[] = BUILT_IN_RESOURCES.flatMap(({ kind: owner, subresources = [] }) =>
  subresources.flatMap(({ kind = owner, group = "", version = "v1", schema }): TestedKind[] => {
    if (schema === undefined || served.some((item) => item.kind === kind)) return [];
    const node = compileSchema(schema, schemaLibrary().resolve);
    return [{ kind, apiVersion: group === "" ? version : `${group}/${version}`, node, isListed: false }];
  }),
);

const kinds = [...served, ...posted];

const decode = (bytes: Uint8Array): ReturnType<typeof decodeProtobuf> =>
  decodeProtobuf(bytes, { apiVersion: "", kind: "" });

test("objects of subresources are among them", () => {
  expect(posted.map(({ kind }) => kind).sort()).toEqual(["Eviction", "TokenRequest"]);
});

describe.each(kinds)("$apiVersion $kind", ({ apiVersion, kind, node, isListed }) => {
  /** As Go would write it. */
  const normal = (value: JsonObject): JsonObject => {
    const copy = cloneJson(value);
    normaliseBuiltIn(node, copy);
    leaveOutUnwritten(copy);
    return copy;
  };
  const object = objectOf(node).map((value) => normal({ ...value, apiVersion, kind }));

  test("what is written is read back", () => {
    fc.assert(
      fc.property(object, (given) => {
        const bytes = encodeProtobuf(apiVersion, kind, given);
        expect(protobufLength(apiVersion, kind, given)).toBe(bytes.length);
        const read = decode(bytes);
        expect({ apiVersion: read.apiVersion, kind: read.kind }).toEqual({ apiVersion, kind });
        expect(normal(read.value)).toEqual(given);
      }),
      { numRuns: RUNS },
    );
  });

  test.runIf(isListed)("a list is read back with its items, which do not say what they are", () => {
    const list = `${kind}List`;
    fc.assert(
      fc.property(fc.array(object, { maxLength: 2 }), (items) => {
        const metadata = { resourceVersion: "7", continue: "x", remainingItemCount: 3 };
        const { value } = decode(
          encodeProtobuf(apiVersion, list, { apiVersion, kind: list, metadata, items }),
        );
        expect(value["metadata"]).toMatchObject(metadata);
        const read = objectsAt(value, "items");
        expect(read.map((item) => normal({ ...item, apiVersion, kind }))).toEqual(items);
        for (const item of read) expect([item["apiVersion"], item["kind"]]).toEqual([undefined, undefined]);
      }),
      { numRuns: RUNS / 4 },
    );
  });

  test("what was read is written with the same bytes", () => {
    fc.assert(
      fc.property(object, (given) => {
        const bytes = encodeProtobuf(apiVersion, kind, given);
        expect(encodeProtobuf(apiVersion, kind, decode(bytes).value).equals(bytes)).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  test("damaged bytes are read or refused, and nothing else happens", () => {
    const damage = fc.record({ at: fc.nat(), byte: fc.nat(255), end: fc.option(fc.nat()) });
    fc.assert(
      fc.property(object, damage, (given, { at, byte, end }) => {
        const bytes = encodeProtobuf(apiVersion, kind, given);
        bytes[at % bytes.length] = byte;
        const cut = end === null ? bytes : bytes.subarray(0, end % bytes.length);
        expect(outcomeOf(() => decode(cut))).toBe("as expected");
      }),
      { numRuns: RUNS * 3 },
    );
  });
});

/**
 * What has no protobuf form: a list without items is none. A Service's targetPort is no pointer in Go, so that 0 stands
 * for none. Objects in objects (claims in a StatefulSet) do not say what they are. Defaults take all of them so.
 */
function leaveOutUnwritten(object: JsonObject): void {
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

function outcomeOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (!(error instanceof ProtobufDecodeError)) return String(error);
  }
  return "as expected";
}
