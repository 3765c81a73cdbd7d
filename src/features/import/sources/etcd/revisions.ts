// Revisions of keys in etcd: one value per revision in which the key was written. The newest one counts; a deletion
// means that the key is absent.
//
//   bucket "key"    [main revision u64]_[sub revision u64][t]    big-endian; "t" marks a deletion
//                   mvccpb.KeyValue { 1: key, 5: value }

import { yieldIfDue } from "../../../../apimachinery/scheduling/event-loop.ts";
import {
  DELIMITED,
  decoding,
  newReader,
  ProtobufDecodeError,
  type Reader,
  readFields,
  VARINT,
} from "../../../../apiserver/endpoints/protobuf/value-types.ts";
import { SourceError } from "../source.ts";
import { bucketNamed, elementsOf } from "./bucket.ts";
import { DAMAGED, type PageFile } from "./pages.ts";

export interface LiveKey {
  readonly key: string;
  readonly value: Buffer;
  readonly modRevision: bigint;
}

const REVISION_BYTES = 17;
const DELETION = 0x74;

const BYTES = {
  wireType: DELIMITED,
  read: (reader: Reader) => reader.bytes(),
} as const;
const PASSED = {
  wireType: VARINT,
  read: (reader: Reader) => void reader.skipType(VARINT),
} as const;
const KEY_VALUE = [BYTES, PASSED, PASSED, PASSED, BYTES];

/** All live keys, the one written last first. Throws SourceError. */
export async function* liveKeys(file: PageFile): AsyncGenerator<LiveKey, void, undefined> {
  const bucket = await bucketNamed(file, "key");
  if (bucket === undefined) throw new SourceError("is a database, but none of etcd");
  const seen = new Set<string>();
  for await (const { key: revision, value } of elementsOf(file, bucket)) {
    if (revision.length < REVISION_BYTES) throw new SourceError(DAMAGED);
    const written = keyValueIn(value);
    if (!seen.has(written.key)) {
      seen.add(written.key);
      const isDeleted = revision[REVISION_BYTES] === DELETION;
      if (!isDeleted) yield { ...written, modRevision: revision.readBigUInt64BE(0) };
    }
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
  }
}

function keyValueIn(bytes: Buffer): { key: string; value: Buffer } {
  try {
    const [keys, , , , values] = decoding(undefined, () => readFields(newReader(bytes), KEY_VALUE));
    return { key: textOf(keys?.at(-1)), value: bytesOf(values?.at(-1)) };
  } catch (error) {
    throw error instanceof ProtobufDecodeError ? new SourceError(DAMAGED, { cause: error }) : error;
  }
}

const bytesOf = (value: unknown): Buffer =>
  value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.length) : Buffer.alloc(0);
const textOf = (value: unknown): string => bytesOf(value).toString("utf8");

/** The newest revision of the whole store, including compacted ones. */
export async function revisionOf(file: PageFile): Promise<bigint> {
  let greatest = 0n;
  const keys = await bucketNamed(file, "key");
  if (keys !== undefined)
    for await (const { key } of elementsOf(file, keys)) {
      if (key.length >= REVISION_BYTES) greatest = key.readBigUInt64BE(0);
      break;
    }
  const meta = await bucketNamed(file, "meta");
  if (meta === undefined) return greatest;
  for await (const { key, value } of elementsOf(file, meta)) {
    if (!COMPACTIONS.includes(key.toString("latin1")) || value.length < 8) continue;
    const revision = value.readBigUInt64BE(0);
    if (revision > greatest) greatest = revision;
  }
  return greatest;
}

const COMPACTIONS = ["finishedCompactRev", "scheduledCompactRev"];
