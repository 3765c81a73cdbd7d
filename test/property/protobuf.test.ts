// Properties of the protobuf encoding, over random objects of every built-in kind.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cloneJson, type JsonObject, objectsAt } from "../../src/apimachinery/json/json.ts";
import { compileSchema } from "../../src/apimachinery/schema/compile-schema.ts";
import { schemaLibrary } from "../../src/apimachinery/schema/go/schema-library.ts";
import { normaliseBuiltIn } from "../../src/apimachinery/schema/normalise.ts";
import type { SchemaNode } from "../../src/apimachinery/schema/schema-node.ts";
import {
  decodeProtobuf,
  encodeProtobuf,
  protobufLength,
} from "../../src/apiserver/endpoints/protobuf/codec.ts";
import { ProtobufDecodeError } from "../../src/apiserver/endpoints/protobuf/value-types.ts";
import { apiVersionOf } from "../../src/apiserver/registry/definition/view.ts";
import { BUILT_IN_RESOURCES } from "../../src/kube/index.ts";
import { leaveOutUnwritten, objectOf } from "../support/drawn-objects.ts";

const RUNS = 40;

interface TestedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly node: SchemaNode;
  readonly isListed: boolean;
}

/** Recursive schemas never end, so CustomResourceDefinitions have separate tests. */
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

/** Objects that are posted to subresources and are no kinds of their own. */
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
  /** In the form that Go writes. */
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

function outcomeOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (!(error instanceof ProtobufDecodeError)) return String(error);
  }
  return "as expected";
}
