// The JSON of answers that are no stored objects, as Go writes them: the members of what the machinery defines (Status,
// Table, PartialObjectMetadata, the lists of discovery) in the order of their structs, all others by their names.

import { isObject } from "../../meta/json.ts";
import { encodeJson, escapeHtml, type MemberOrder } from "../../meta/json-encode.ts";
import { jsonBytesInTurns } from "../../meta/json-in-turns.ts";
import { pauseForOthers, turnIsLong } from "../../meta/turns.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { compileSchema } from "../../schema/compile-schema.ts";
import { structOrder } from "../../schema/go/go-struct.ts";
import { schemaLibrary, schemaRef } from "../../schema/go/schema-library.ts";
import type { StreamBody } from "../api-request.ts";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
/** Kinds of this group version stand under "v1" as well. */
const META_VERSION = /^(?:v1|meta\.k8s\.io\/v1(?:beta1)?)$/;

export const answerJson = (value: unknown, order = machineryOrder(value)): string =>
  escapeHtml(encodeJson(value, order));

/** The same for a large value, written with pauses for others. */
export const answerJsonInTurns = (value: unknown, end: string): Promise<Buffer> =>
  jsonBytesInTurns(value, machineryOrder(value), escapeHtml, end);

/** The order of the members of the view's list; custom lists have their keys sorted. */
export function listOrder({ definition, version }: ResourceView): MemberOrder | undefined {
  if (definition.custom) return undefined;
  const type = `${version.node.typeName}List`;
  if (!orders.has(type)) orders.set(type, orderOfType(type));
  return orders.get(type);
}

const orderOfType = (type: string): MemberOrder | undefined =>
  structOrder(compileSchema(schemaRef(type), schemaLibrary().resolve));

const orders = new Map<string, MemberOrder | undefined>();

/** The order of what the machinery defines; undefined for all else. */
export function machineryOrder(value: unknown): MemberOrder | undefined {
  if (!isObject(value)) return undefined;
  const { kind, apiVersion = "v1" } = value; // /api and /api/v1 do not say theirs
  if (typeof kind !== "string" || typeof apiVersion !== "string" || !META_VERSION.test(apiVersion))
    return undefined;
  const type = META + kind;
  if (!orders.has(type)) {
    const isKnown = schemaLibrary().definition(type) !== undefined;
    if (!isKnown) return undefined;
    orders.set(type, orderOfType(type));
  }
  return orders.get(type);
}

// Texts that are made part by part, since indentation can make them far longer than what they tell of: 5,000 levels are
// 30 KB of JSON, and 25 MB once they are indented.
// JSON is indented without decoding it, so that numbers keep every digit.

/** So much is always made at once. */
const WHOLE_CHARACTERS = 32 * 1024;
/** So much is sent at once. */
const CHUNK_CHARACTERS = 256 * 1024;

let blank = " ".repeat(256);

/** Cut out of one text: copied as a whole, where a repeated one is put together out of many. */
export function spaces(count: number): string {
  while (count > blank.length) blank = Buffer.alloc(2 * blank.length, " ").toString("latin1");
  return blank.slice(0, count);
}

/** The text as a body: whole where it is short, else as it is made, while others have their turn. */
export function textBody(parts: Iterator<string, void>): Uint8Array | StreamBody {
  const first = takeChunk(parts);
  return first.more ? streamedText(parts, first) : first.bytes;
}

/** A text that is known to be long: nothing of it is made before it is sent. `begun`: its first chunk, if that is there. */
export function streamedText(parts: Iterator<string, void>, begun?: Chunk): StreamBody {
  let first = begun;
  return async (sink, signal) => {
    for (;;) {
      await pauseForOthers();
      if (signal.aborted) return;
      const { bytes, more } = first ?? takeChunk(parts);
      first = undefined; // not kept while the rest is sent
      await sink.write(bytes);
      if (!more) return;
    }
  };
}

interface Chunk {
  readonly bytes: Buffer;
  readonly more: boolean;
}

/** Bytes are no part of the heap, where a text that waits for its client would be. */
function takeChunk(parts: Iterator<string, void>): Chunk {
  let text = "";
  while (text.length < CHUNK_CHARACTERS) {
    const { value, done } = parts.next();
    if (done) return { bytes: Buffer.from(text), more: false };
    text += value;
    if (text.length > WHOLE_CHARACTERS && turnIsLong()) break;
  }
  return { bytes: Buffer.from(text), more: true };
}

const INDENT = 2;
/** The parts of a long text have about so many characters. */
const PART_CHARACTERS = 4096;

export const prettyJson = (text: string): string => [...prettyParts(text)].join("");

/** The same part by part. `depth`: of the place where it stands. */
export function* prettyParts(text: string, depth = 0): Generator<string, void> {
  let out = "";
  let from = 0;
  let level = depth;
  const upTo = (end: number, newline: boolean) => {
    out += newline ? `${text.slice(from, end)}\n${spaces(INDENT * level)}` : text.slice(from, end);
    from = end;
  };
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at);
        break;
      case "{":
      case "[":
        if (text[at + 1] === "}" || text[at + 1] === "]") at++;
        else {
          level++;
          upTo(at + 1, true);
        }
        break;
      case "}":
      case "]":
        level--;
        upTo(at, true);
        break;
      case ",":
        upTo(at + 1, true);
        break;
      case ":":
        upTo(at + 1, false);
        out += " ";
        break;
    }
    if (out.length < PART_CHARACTERS) continue;
    yield out;
    out = "";
  }
  upTo(text.length, false);
  yield out;
}

/** Where the string ends whose quote stands at the place. */
function endOfString(text: string, start: number): number {
  let at = start;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return text.length;
    let escapes = 0;
    while (text[at - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return at;
  }
}
