// The text of a document, made in turns: some have several megabytes, and whoever asks for one should not keep others
// waiting.
import { createHash } from "node:crypto";
import { pauseForOthers } from "../../meta/clock.ts";
import { isObject } from "../../meta/json.ts";
import { encodeJson, sortedKeys } from "../../meta/json-encode.ts";

/** JSON text and its hash. The ETag header is the hash in quotes. */
export interface RenderedDocument {
  readonly hash: string;
  /** The text as it is sent. Shared: it must not be changed. */
  readonly json: Buffer;
  /** The document in its protobuf form (gnostic), made once; the index has none. */
  protobuf?(): Promise<Buffer>;
}

const CHUNK_CHARACTERS = 64 * 1024;
/** Schemas and paths are members of members of a document, or of their members. */
const LEVELS_TAKEN_APART = 3;

export async function renderDocument(
  document: object,
  encodeProtobuf?: (document: object) => Promise<Buffer>,
): Promise<RenderedDocument> {
  const chunks: Buffer[] = [];
  const hash = createHash("sha512");
  let text = "";
  const take = () => {
    const chunk = Buffer.from(text);
    chunks.push(chunk);
    hash.update(chunk);
    text = "";
  };
  for (const piece of piecesOf(document, LEVELS_TAKEN_APART)) {
    text += piece;
    if (text.length > CHUNK_CHARACTERS) take();
    const pause = pauseForOthers();
    if (pause !== undefined) await pause;
  }
  take();
  const protobuf = encodeProtobuf && once(() => encodeProtobuf(document));
  return {
    hash: hash.digest("hex").toUpperCase(),
    json: Buffer.concat(chunks),
    ...(protobuf === undefined ? {} : { protobuf }),
  };
}

/** What encodeJson() writes, in pieces: the members of objects down to so many levels. */
export function* piecesOf(value: unknown, levels: number): Generator<string> {
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

/** Remembers what was made, and lets go of what it was made of. */
function once(make: () => Promise<Buffer>): () => Promise<Buffer> {
  let source: (() => Promise<Buffer>) | undefined = make;
  let made: Promise<Buffer> | undefined;
  return () => {
    made ??= source?.() ?? Promise.resolve(Buffer.alloc(0));
    source = undefined;
    return made;
  };
}
