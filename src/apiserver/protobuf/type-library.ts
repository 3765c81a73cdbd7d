// All types by name, each made once. Kinds are found by their apiVersion.

import { isObject, type JsonObject, lookupTable } from "../../meta/json.ts";
import { messageFacts } from "./message-facts.ts";
import { MessageType } from "./message-type.ts";
import { SPECIAL_TYPES } from "./special-types.ts";
import { SCALARS, type ValueType } from "./value-type.ts";
import type { Reader, Writer } from "./wire.ts";

const messages = new Map<string, MessageType>();

/** The message of that name ("core.v1.Pod"), or undefined. */
function messageType(name: string): MessageType | undefined {
  const known = messages.get(name);
  if (known !== undefined) return known;
  const facts = messageFacts(name);
  if (facts === undefined) return undefined;
  const made = new MessageType(facts, typeNamed);
  messages.set(name, made);
  return made;
}

function typeNamed(name: string): ValueType {
  const simple = SCALARS.get(name) ?? SPECIAL_TYPES.get(name);
  if (simple !== undefined) return simple;
  const message = messageType(name);
  if (message === undefined) throw new Error(`no message is called ${name}`);
  return UNIONS[name]?.(message) ?? message;
}

/** Messages that are not an object of their own in JSON but one thing or the other. */
const UNIONS: Readonly<Record<string, (message: MessageType) => ValueType>> = lookupTable({
  "apiextensions.v1.JSONSchemaPropsOrArray": (message) =>
    union(message, {
      toMessage: (value) => (Array.isArray(value) ? { schemas: value } : { schema: value }),
      toJson: ({ schema, schemas }) => schemas ?? schema ?? null,
    }),
  "apiextensions.v1.JSONSchemaPropsOrBool": (message) =>
    union(message, {
      toMessage: (value) => (isObject(value) ? { allows: true, schema: value } : { allows: value === true }),
      toJson: ({ allows, schema }) => schema ?? allows === true,
    }),
  "apiextensions.v1.JSONSchemaPropsOrStringArray": (message) =>
    union(message, {
      toMessage: (value) => (Array.isArray(value) ? { property: value } : { schema: value }),
      toJson: ({ schema, property }) => property ?? schema ?? null,
    }),
});

interface Union {
  toMessage(value: unknown): JsonObject;
  toJson(message: JsonObject): unknown;
}

function union(message: MessageType, { toMessage, toJson }: Union): ValueType {
  return {
    wireType: 2,
    zero: undefined,
    write: (writer: Writer, value: unknown) => message.write(writer, toMessage(value)),
    read: (reader: Reader, depth: number) => toJson(message.read(reader, depth)),
  };
}

/** Kinds that belong to no group, or to all of them. */
const META_KINDS: ReadonlySet<string> = new Set([
  "APIGroup",
  "APIGroupList",
  "APIResourceList",
  "APIVersions",
  "DeleteOptions",
  "Status",
]);

/** The message of a kind; undefined when the kind has none. The package is the group's first word: apps, rbac, meta. */
export function messageOfKind(apiVersion: string, kind: string): MessageType | undefined {
  if (META_KINDS.has(kind)) return messageType(`meta.v1.${kind}`);
  const cut = apiVersion.lastIndexOf("/");
  const group = cut < 0 ? "core" : (apiVersion.slice(0, cut).split(".")[0] ?? "");
  return messageType(`${group}.${apiVersion.slice(cut + 1)}.${kind}`);
}
