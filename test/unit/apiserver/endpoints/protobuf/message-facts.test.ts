// Messages are derived from the schemas: their field numbers, and the order of struct members, equal a kube-apiserver's.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { goMembers, goStruct } from "../../../../../src/apimachinery/schema/go/go-struct.ts";
import { schemaLibrary } from "../../../../../src/apimachinery/schema/go/schema-library.ts";
import { hasProtobuf } from "../../../../../src/apiserver/endpoints/protobuf/codec.ts";
import { messageFacts } from "../../../../../src/apiserver/endpoints/protobuf/type-library.ts";
import { SCALARS, SPECIAL_TYPES } from "../../../../../src/apiserver/endpoints/protobuf/value-types.ts";
import { apiVersionOf } from "../../../../../src/apiserver/registry/definition/view.ts";
import { BUILT_IN_RESOURCES } from "../../../../../src/kube/index.ts";

/** Number, name and type; repeated fields are marked. */
type RealField = readonly [number: number, name: string, type: string, repeated?: string];

const FACTS = new URL("../../../../fixtures/facts/protobuf/", import.meta.url);
const real = new Map<string, readonly RealField[]>(
  readdirSync(FACTS).flatMap((file) => {
    const messages = JSON.parse(readFileSync(new URL(file, FACTS), "utf8")) as Record<string, RealField[]>;
    return Object.entries(messages).map(
      ([name, fields]) => [`${file.slice(0, -5)}.${name}`, fields] as const,
    );
  }),
);
const library = schemaLibrary();
const described = library.names.filter((name) => real.has(name));
const shortName = (name: string): string => name.split(".").slice(-3).join(".");

/** Their JSON is not that of their message: value-types.ts reads and writes it, or nothing does. */
const READ_OTHERWISE = new Set([
  "FieldsV1",
  "IntOrString",
  "JSON",
  "MicroTime",
  "Patch",
  "Quantity",
  "RawExtension",
  "Time",
  "WatchEvent",
]);
const messages = described.filter((name) => !READ_OTHERWISE.has(name.slice(name.lastIndexOf(".") + 1)));

/** Members of JSON that are no identifiers have other names in a message: xKubernetesListType. */
const letters = (name: string): string =>
  name
    .replace("jSONSchemas", "schemas")
    .replace(/[^a-z]/gi, "")
    .toLowerCase();

/** Not compared: the reference does not list them, or they are never sent as protobuf. */
const NO_MESSAGES = [
  ...["APIGroupDiscovery", "APIGroupDiscoveryList", "APIResourceDiscovery", "APISubresourceDiscovery"],
  ...["APIVersionDiscovery", "GroupVersionKind"],
  ...["Info", "PartialObjectMetadata", "PartialObjectMetadataList"],
  ...["Table", "TableColumnDefinition", "TableRow"],
];

describe("what the schemas tell of a message is what a real server has", () => {
  test("of all definitions but a few", () => {
    const last = (name: string) => name.slice(name.lastIndexOf(".") + 1);
    const unknown = library.names.filter((name) => !real.has(name)).map(last);
    expect([...new Set(unknown)].sort()).toEqual(NO_MESSAGES);
  });

  test.each(messages)("%s", (name) => {
    const expected = real.get(name) ?? [];
    const numbers = expected.map(([number]) => number).sort((a, b) => a - b);
    expect(messageFacts(shortName(name))?.fields.map(({ number }) => number)).toEqual(numbers);

    const definition = library.definition(name) ?? {};
    const { fields } = goStruct(definition);
    const own = goMembers(definition).flatMap(([member]) => {
      const path = fields.get(member)?.path ?? [];
      return path.length === 1 ? [[path[0], letters(member)]] : [];
    });
    const embedded = new Set(
      messageFacts(shortName(name))?.fields.flatMap((field) =>
        field.form === "embedded" ? [field.number] : [],
      ),
    );
    const inOrder = expected.filter(([number]) => !embedded.has(number));
    expect(own).toEqual(inOrder.map(([number, member]) => [number, letters(member)]));
  });

  test("and every type of a field is known", () => {
    const types = described.flatMap(
      (name) => messageFacts(shortName(name))?.fields.map(({ type }) => type) ?? [],
    );
    const unknown = types.filter(
      (type) => !SCALARS.has(type) && !SPECIAL_TYPES.has(type) && messageFacts(type) === undefined,
    );
    expect(unknown).toEqual([]);
  });
});

test("every built-in kind has a message, and its list where there is one", () => {
  const without = BUILT_IN_RESOURCES.flatMap((definition) =>
    definition.versions.flatMap((version) => {
      const apiVersion = apiVersionOf({ definition, version });
      const isListed = definition.review === undefined && definition.action === undefined;
      const kinds = isListed ? [definition.kind, definition.listKind] : [definition.kind];
      return kinds.filter((kind) => !hasProtobuf(apiVersion, kind)).map((kind) => `${apiVersion} ${kind}`);
    }),
  );
  expect(without).toEqual([]);
});

test.each(["core.v1.NoSuchMessage", "core.v1.constructor", "nosuch.v1.Pod", "../core.v1.Pod", "Pod", ""])(
  "there is no message %j",
  (name) => expect(messageFacts(name)).toBeUndefined(),
);
