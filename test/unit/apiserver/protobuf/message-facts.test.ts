// The messages and the published schemas describe the same types: what one has the other has too.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hasProtobuf } from "../../../../src/apiserver/protobuf/codec.ts";
import { type FieldFacts, messageFacts } from "../../../../src/apiserver/protobuf/message-facts.ts";
import { isObject } from "../../../../src/meta/json.ts";
import { apiVersionOf } from "../../../../src/registry/resource-registry.ts";
import { BUILT_IN_RESOURCES } from "../../../../src/resources/index.ts";
import type { SchemaNode } from "../../../../src/schema/schema-node.ts";

const SCALARS = new Set(["string", "bool", "int32", "int64", "double", "bytes"]);
const SPECIAL = new Set([
  ...["Time", "MicroTime", "Quantity", "IntOrString", "RawExtension", "FieldsV1", "JSON", "Strings"],
  ...["JSONSchemaPropsOrArray", "JSONSchemaPropsOrBool", "JSONSchemaPropsOrStringArray"],
]);
const SCALAR_OF: Readonly<Record<string, string>> = { string: "string", boolean: "bool", number: "double" };

const packages = readdirSync(new URL("../../../../schemas/protobuf", import.meta.url))
  .filter((file) => file.endsWith(".json"))
  .map((file) => file.slice(0, -5));

function readPackage(name: string): Record<string, readonly string[]> {
  const file = new URL(`../../../../schemas/protobuf/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")) as Record<string, readonly string[]>; // our own file
}

const fullName = (type: string, owner: string): string =>
  type.includes(".") ? type : `${owner.slice(0, owner.lastIndexOf("."))}.${type}`;

/** The members of a message's JSON by name: inline messages are opened. */
function membersOf(message: string): Map<string, FieldFacts> {
  const members = new Map<string, FieldFacts>();
  for (const field of messageFacts(message) ?? []) {
    if (field.flag !== "inline") members.set(field.name, { ...field, type: qualified(field.type, message) });
    else for (const [name, inner] of membersOf(fullName(field.type, message))) members.set(name, inner);
  }
  return members;
}

const qualified = (type: string, owner: string): string =>
  SCALARS.has(type) || SPECIAL.has(type) ? type : fullName(type, owner);

/** The type that a message's field must have for the JSON that the schema describes. */
function typeOfNode(node: SchemaNode): string {
  const name = node.typeName?.split(".").slice(-3).join(".");
  const last = name?.split(".").at(-1) ?? "";
  if (SPECIAL.has(last)) return last;
  if (node.type === "string" && node.format === "byte") return "bytes";
  if (node.type === "array" && node.items?.type === "string") return "Strings"; // a list as the value of a map
  if (node.type === "integer") return node.format === "int64" ? "int64" : "int32";
  return SCALAR_OF[node.type ?? ""] ?? name ?? "";
}

function fieldOfNode(node: SchemaNode): Pick<FieldFacts, "container" | "type"> {
  if (node.type === "array") return { container: "list", type: typeOfNode(node.items ?? node) };
  const { additionalProperties } = node;
  if (typeof additionalProperties !== "object") return { container: undefined, type: typeOfNode(node) };
  return { container: "map", type: typeOfNode(additionalProperties) };
}

const isStruct = (type: string): boolean => type.includes(".");

/** What differs between the type and its message, and between those below. */
function differences(node: SchemaNode, message: string, seen: Set<string>): string[] {
  if (seen.has(message)) return [];
  seen.add(message);
  const members = membersOf(message);
  const found: string[] = [];
  const isKind = node.properties.has("apiVersion") && !members.has("apiVersion");
  for (const [name, property] of node.properties) {
    if (isKind && (name === "apiVersion" || name === "kind")) continue;
    const member = members.get(name);
    members.delete(name);
    if (member === undefined) {
      found.push(`${message} has no ${name}`);
      continue;
    }
    const { container, type } = fieldOfNode(property);
    const memberType = member.type.replace(/^(JSONSchemaProps)Or\w+$/, "apiextensions.v1.$1"); // as it is compiled
    if (member.container !== container || memberType !== type) {
      found.push(`${message}.${name} is ${member.container} ${member.type}, not ${container} ${type}`);
    }
    if (
      container === undefined &&
      isStruct(member.type) &&
      (member.flag === "value") !== isObject(property.default)
    ) {
      found.push(`${message}.${name} is ${member.flag ?? "a pointer"}`);
    }
    const inner = property.items ?? property.additionalProperties ?? property;
    if (isStruct(type) && typeof inner === "object") found.push(...differences(inner, type, seen));
  }
  return [...found, ...[...members.keys()].map((name) => `the schema of ${message} has no ${name}`)];
}

describe("every built-in kind has a message that agrees with its schema", () => {
  const kinds = BUILT_IN_RESOURCES.flatMap((definition) =>
    definition.versions.map((version) => {
      return {
        kind: definition.kind,
        apiVersion: apiVersionOf({ definition, version }),
        definition,
        version,
      };
    }),
  );

  test.each(kinds)("$apiVersion $kind", ({ apiVersion, kind, definition, version }) => {
    expect(hasProtobuf(apiVersion, kind)).toBe(true);
    const isListed = definition.review === undefined && definition.action === undefined;
    expect(hasProtobuf(apiVersion, definition.listKind)).toBe(isListed);
    const message = `${definition.group.split(".")[0] || "core"}.${version.name}.${kind}`;
    expect(differences(version.node, message, new Set())).toEqual([]);
  });
});

describe("of every package", () => {
  test.each(packages)("%s: each type is known, and fields stand in the order of their numbers", (name) => {
    const problems: string[] = [];
    for (const message of Object.keys(readPackage(name))) {
      const fields = messageFacts(`${name}.${message}`) ?? [];
      const numbers = fields.map((field) => field.number);
      if (numbers.some((number, index) => number <= (numbers[index - 1] ?? 0))) problems.push(message);
      for (const { name: field, type } of fields) {
        const simple = SCALARS.has(type) || (SPECIAL.has(type) && !type.startsWith("JSONSchema"));
        if (simple || messageFacts(fullName(type, `${name}.${message}`)) !== undefined) continue;
        problems.push(`${message}.${field} is a ${type}`);
      }
    }
    expect(problems).toEqual([]);
  });
});

test.each(["core.v1.NoSuchMessage", "core.v1.constructor", "nosuch.v1.Pod", "../core.v1.Pod", "Pod", ""])(
  "there is no message %j",
  (name) => expect(messageFacts(name)).toBeUndefined(),
);
