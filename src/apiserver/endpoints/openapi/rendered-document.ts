// An encoded OpenAPI document: text, hash and protobuf form.
import { createHash } from "node:crypto";
import { isObject } from "../../../apimachinery/json/json.ts";
import { encodeJson, sortedKeys } from "../../../apimachinery/json/json-encode.ts";
import { yieldIfDue } from "../../../apimachinery/scheduling/event-loop.ts";
import { Entries, type Entry, joined } from "./entries.ts";

/** JSON text and its hash. The ETag header is the hash in quotes. */
export interface RenderedDocument {
  readonly hash: string;
  /** The text as sent. Shared: it must not be changed. */
  readonly json: Buffer;
  /** The protobuf form (gnostic), encoded once; the index has none. */
  protobuf?(): Promise<Buffer>;
}

const CHUNK_CHARACTERS = 64 * 1024;
/** Schemas and paths are at most at this depth of a document. */
const LEVELS_TAKEN_APART = 3;

/** Encodes with yielding: some documents have many megabytes, and must not delay other requests. */
export async function renderDocument(
  document: object,
  protobuf?: () => Promise<Buffer>,
): Promise<RenderedDocument> {
  const pieces: (Uint8Array | Entry)[] = [];
  let text = "";
  for (const piece of piecesOf(document, LEVELS_TAKEN_APART)) {
    const isText = typeof piece === "string";
    if (isText) text += piece;
    if (text.length > CHUNK_CHARACTERS || (!isText && text !== "")) {
      pieces.push(Buffer.from(text));
      text = "";
    }
    if (!isText) pieces.push(piece);
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
  }
  pieces.push(Buffer.from(text));
  const json = await joined(pieces);
  return { hash: await hashOf(json), json, ...(protobuf && { protobuf: once(protobuf) }) };
}

const HASHED_BYTES = 512 * 1024;

async function hashOf(bytes: Buffer): Promise<string> {
  const hash = createHash("sha512");
  for (let at = 0; at < bytes.length; at += HASHED_BYTES) {
    hash.update(bytes.subarray(at, at + HASHED_BYTES));
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
  }
  return hash.digest("hex").toUpperCase();
}

const COMMA = Buffer.from(",");

/** The output of encodeJson() in pieces: members of objects down to `levels`. Entries are passed through. */
export function* piecesOf(value: unknown, levels: number): Generator<string | Uint8Array | Entry> {
  if (value instanceof Entries) {
    yield "{";
    for (const [index, entry] of value.list.entries()) {
      if (index > 0) yield COMMA;
      yield entry;
    }
    yield "}";
    return;
  }
  if (levels === 0 || !isObject(value)) {
    yield encodeJson(value);
    return;
  }
  let before = "{";
  for (const key of sortedKeys(value)) {
    if (value[key] === undefined) continue;
    yield `${before}${encodeJson(key)}:`;
    yield* piecesOf(value[key], levels - 1);
    before = ",";
  }
  yield before === "{" ? "{}" : "}";
}

/** Caches the result and releases the source. After a failure the next call tries again. */
function once(make: () => Promise<Buffer>): () => Promise<Buffer> {
  let source: (() => Promise<Buffer>) | undefined = make;
  let made: Promise<Buffer> | undefined;
  return () => {
    if (made !== undefined || source === undefined) return made ?? Promise.resolve(Buffer.alloc(0));
    made = source().then(
      (bytes) => {
        source = undefined;
        return bytes;
      },
      (error) => {
        made = undefined;
        throw error;
      },
    );
    return made;
  };
}
