// The JSON of responses that are not stored objects, as Go writes it: machinery types (Status, Table,
// PartialObjectMetadata, discovery lists) have the field order of their structs; all others are sorted by name.

import { isObject } from "../../../apimachinery/json/json.ts";
import { encodeJson, escapeHtml, type MemberOrder } from "../../../apimachinery/json/json-encode.ts";
import { jsonBytesInTurns } from "../../../apimachinery/json/json-in-turns.ts";
import { turnIsLong, yieldIfDue } from "../../../apimachinery/scheduling/event-loop.ts";
import { compileSchema } from "../../../apimachinery/schema/compile-schema.ts";
import { structOrder } from "../../../apimachinery/schema/go/go-struct.ts";
import { schemaLibrary, schemaRef } from "../../../apimachinery/schema/go/schema-library.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import type { StreamBody } from "../api-request.ts";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
/** Kinds of this group version also exist under "v1". */
const META_VERSION = /^(?:v1|meta\.k8s\.io\/v1(?:beta1)?)$/;

export const answerJson = (value: unknown, order = machineryOrder(value)): string =>
  escapeHtml(encodeJson(value, order));

/** The same for a large value, encoded with yielding. */
export const answerJsonInTurns = (value: unknown, end: string): Promise<Buffer> =>
  jsonBytesInTurns(value, machineryOrder(value), escapeHtml, end);

/** Field order of the view's list type; custom lists have sorted keys. */
export function listOrder({ definition, version }: ResourceView): MemberOrder | undefined {
  if (definition.custom) return undefined;
  const type = `${version.node.typeName}List`;
  if (!orders.has(type)) orders.set(type, orderOfType(type));
  return orders.get(type);
}

const orderOfType = (type: string): MemberOrder | undefined =>
  structOrder(compileSchema(schemaRef(type), schemaLibrary().resolve));

const orders = new Map<string, MemberOrder | undefined>();

/** Field order of machinery types; undefined for other types. */
export function machineryOrder(value: unknown): MemberOrder | undefined {
  if (!isObject(value)) return undefined;
  const { kind, apiVersion = "v1" } = value; // /api and /api/v1 have no apiVersion
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

// Incremental text output: indentation can make a response far longer than its data. 5,000 levels are 30 KB of JSON,
// and 25 MB when indented. JSON is indented without decoding, so that numbers keep every digit.

/** Texts up to this length are built at once. */
const WHOLE_CHARACTERS = 32 * 1024;
/** Characters per write. */
const CHUNK_CHARACTERS = 256 * 1024;

let blank = " ".repeat(256);

/** Slices of one flat string: repeat() would build a rope of many parts. */
export function spaces(count: number): string {
  while (count > blank.length) blank = Buffer.alloc(2 * blank.length, " ").toString("latin1");
  return blank.slice(0, count);
}

/** The text as a body: whole if short, otherwise streamed with yielding. */
export function textBody(parts: Iterator<string, void>): Uint8Array | StreamBody {
  const first = takeChunk(parts);
  return first.more ? streamedText(parts, first) : first.bytes;
}

/** A body for a long text, built while it is sent. `begun` is its first chunk, if it exists. */
export function streamedText(parts: Iterator<string, void>, begun?: Chunk): StreamBody {
  let first = begun;
  return async (sink, signal) => {
    for (;;) {
      await yieldIfDue();
      if (signal.aborted) return;
      const { bytes, more } = first ?? takeChunk(parts);
      first = undefined; // released while the rest is sent
      await sink.write(bytes);
      if (!more) return;
    }
  };
}

interface Chunk {
  readonly bytes: Buffer;
  readonly more: boolean;
}

/** Chunks are bytes outside of the heap; a string that waits for its client would occupy the heap. */
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
/** Approximate characters per part of a long text. */
const PART_CHARACTERS = 4096;

export const prettyJson = (text: string): string => [...prettyParts(text)].join("");

/** The same part by part. `depth` is the nesting depth of the text in its document. */
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

/** The end of the string whose opening quote is at `start`. */
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
