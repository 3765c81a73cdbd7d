// The storage layout in etcd: written objects are read back equal, for random objects of every built-in kind and for CRDs.
import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cloneJson, type JsonObject, objectAt } from "../../src/apimachinery/json/json.ts";
import { encodeJson } from "../../src/apimachinery/json/json-encode.ts";
import { toRevision } from "../../src/apimachinery/meta/revision.ts";
import { createStorageLayout } from "../../src/apiserver/layout/storage-layout.ts";
import { StoredKinds } from "../../src/apiserver/layout/stored-kinds.ts";
import {
  encodeStored,
  parseWithoutRevision,
  uidOf,
} from "../../src/apiserver/registry/codec/object-codec.ts";
import { conformObject } from "../../src/apiserver/registry/codec/object-decoder.ts";
import { objectKey, storageView } from "../../src/apiserver/registry/definition/view.ts";
import { BUILT_IN_RESOURCES } from "../../src/kube/index.ts";
import { LayoutError } from "../../src/storage/layout.ts";
import { leaveOutUnwritten, objectOf } from "../support/drawn-objects.ts";

const RUNS = 40;
const layout = createStorageLayout({ builtIn: BUILT_IN_RESOURCES });
const kinds = [...new StoredKinds(BUILT_IN_RESOURCES).all].filter(({ definition }) =>
  definition.verbs.includes("watch"),
);

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

/** Recursive schemas never end, so CRDs come from another source. */
const drawn = kinds.filter(({ identity }) => identity.kind !== "CustomResourceDefinition");

test("all kinds are among them", () => {
  expect(drawn.length).toBeGreaterThan(50);
});

describe.each(drawn)("$identity.apiVersion $identity.kind", ({ definition, identity, order }) => {
  const view = storageView(definition);
  const key = objectKey(definition, definition.namespaceScoped ? "shop" : "", "f");
  /** Encoded twice as a server stores it, because defaulted values have to get Go's form, too. */
  const stored = objectOf(view.version.node).map((given): Buffer => {
    const value: JsonObject = { ...cloneJson(given), ...identity };
    const called = { name: "f", ...(definition.namespaceScoped ? { namespace: "shop" } : {}) };
    const { namespace: _namespace, ...metadata } = objectAt(value, "metadata") ?? {};
    value["metadata"] = { ...metadata, ...called };
    leaveOutUnwritten(value);
    const once = conformObject(view, value).object;
    leaveOutUnwritten(once);
    const { object } = conformObject(view, once);
    delete object.metadata.selfLink;
    return encodeStored(object, order);
  });

  test("what is written is read back", () => {
    fc.assert(
      fc.property(stored, (value) => {
        const read = layout.decode(key, layout.encode(key, value));
        expect(text(read.value)).toBe(text(value));
        expect(read.isStale).toBe(false);
      }),
      { numRuns: RUNS },
    );
  });

  test("what was written as JSON is read as the same, and is to be written anew", () => {
    fc.assert(
      fc.property(stored, (value) => {
        const json = Buffer.from(encodeJson(parseWithoutRevision({ key, value })));
        const read = layout.decode(key, json);
        expect(text(read.value)).toBe(text(value));
        expect(read.isStale).toBe(layout.encode(key, value)[0] === "k".charCodeAt(0));
      }),
      { numRuns: RUNS / 4 },
    );
  });

  test("damaged bytes are read or refused, and nothing else happens", () => {
    const damage = fc.record({ at: fc.nat(), byte: fc.nat(255), end: fc.option(fc.nat()) });
    fc.assert(
      fc.property(stored, damage, (value, { at, byte, end }) => {
        const bytes = Buffer.from(layout.encode(key, value));
        bytes[at % bytes.length] = byte;
        const cut = end === null ? bytes : bytes.subarray(0, end % bytes.length);
        expect(outcomeOf(() => layout.decode(key, cut))).toBe("as expected");
      }),
      { numRuns: RUNS },
    );
  });
});

function outcomeOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (!(error instanceof LayoutError)) return error instanceof Error ? String(error.stack) : String(error);
  }
  return "as expected";
}

describe("definitions of custom kinds", () => {
  const folder = new URL("../fixtures/facts/crds/", import.meta.url);
  const real = readdirSync(folder).map((name): JsonObject & { metadata: { name: string } } => ({
    metadata: { name: name.replace(/\.json$/, "") },
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    spec: JSON.parse(readFileSync(new URL(name, folder), "utf8")) as unknown,
  }));
  const crds = kinds.find(({ identity }) => identity.kind === "CustomResourceDefinition");
  if (crds === undefined) throw new Error("there are no definitions");
  const schema = fc.constantFrom(
    { type: "object" },
    { type: "object", properties: { a: { type: "string" } } },
  );
  const columns = fc.constantFrom([], [{ name: "A", type: "string", jsonPath: ".spec.a" }]);
  const version = fc.record(
    {
      served: fc.boolean(),
      storage: fc.boolean(),
      deprecated: fc.constant(true),
      schema: schema.map((openAPIV3Schema) => ({ openAPIV3Schema })),
      subresources: fc.constantFrom<JsonObject>({}, { status: {} }),
      additionalPrinterColumns: columns,
      selectableFields: fc.constantFrom([], [{ jsonPath: ".spec.a" }]),
    },
    { requiredKeys: ["served", "storage", "schema"] },
  );
  const conversion = fc.constantFrom<JsonObject>(
    { strategy: "None" },
    {
      strategy: "Webhook",
      webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://a" } },
    },
    {
      strategy: "Webhook",
      webhook: {
        conversionReviewVersions: ["v1", "v1beta1"],
        clientConfig: { service: { namespace: "a", name: "b", port: 443 }, caBundle: "YQ==" },
      },
    },
  );
  const made = fc
    .tuple(
      fc.constantFrom(...real),
      fc.array(version, { minLength: 1, maxLength: 3 }),
      conversion,
      fc.boolean(),
    )
    .map(([crd, versions, conversion, preserveUnknownFields]): JsonObject => {
      const named = versions.map((item, place) => ({ name: `v${place + 1}`, ...item }));
      const spec = { ...(crd["spec"] as JsonObject), versions: named, conversion, preserveUnknownFields };
      return { ...crd, spec };
    });

  const check = (crd: JsonObject): void => {
    const { object } = conformObject(storageView(crds.definition), cloneJson(crd));
    object.metadata.uid ??= "1";
    const key = objectKey(crds.definition, "", object.metadata.name ?? "");
    const value = encodeStored(object, crds.order);
    const bytes = layout.encode(key, value);
    const read = layout.decode(key, bytes);
    expect(text(read.value)).toBe(text(value));
    expect(read.isStale).toBe(false);
    expect(text(bytes)).toMatch(
      /^\{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io\/v1beta1",.*\}\n$/,
    );
    expect(text(layout.encode(key, read.value))).toBe(text(bytes));
    const kv = { key, value: read.value, createRevision: toRevision(1), modRevision: toRevision(1) };
    expect(uidOf(kv)).toBe(object.metadata.uid);
  };

  test.each(real.map((crd) => [crd.metadata.name, crd] as const))(
    "%s is written and read back",
    (_name, crd) => check(crd),
  );

  test("of any versions are written and read back", () => {
    fc.assert(fc.property(made, check), { numRuns: 200 });
  });
});
