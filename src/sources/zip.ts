// Reads a zip archive by its directory, which stands at the end: entries are read one by one, by random access, and only
// those that somebody wants.
import type { FileHandle } from "node:fs/promises";
import { promisify } from "node:util";
import { inflateRaw } from "node:zlib";
import { SourceError } from "./source.ts";

export interface ZipEntry {
  readonly path: string;
  /** Unpacked, as the directory says it. */
  readonly size: number;
  /** Throws SourceError for what is damaged, or packed in a way of its own. */
  read(): Promise<Buffer>;
}

const END_OF_DIRECTORY = 0x06054b50;
const LARGE_LOCATOR = 0x07064b50;
const LARGE_END = 0x06064b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_ENTRY = 0x04034b50;
const END_BYTES = 22;
const LOCATOR_BYTES = 20;
const COMMENT_BYTES_MAX = 0xffff;
/** In the place of a number that needs more room. */
const ELSEWHERE = 0xffffffff;
const DIRECTORY_BYTES_MAX = 256 * 1024 * 1024;

const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED_FLAG = 1;

const unpack = promisify(inflateRaw);

/** Files alone. Throws SourceError for an archive without its directory. */
export async function* zipEntries(file: FileHandle): AsyncGenerator<ZipEntry, void, undefined> {
  const { size } = await file.stat();
  const { offset, length } = await directoryOf(file, size);
  if (length > DIRECTORY_BYTES_MAX || offset + length > size) throw new SourceError(DAMAGED);
  const directory = await readAt(file, offset, length);
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === DIRECTORY_ENTRY; ) {
    const [nameLength, extraLength] = [directory.readUInt16LE(at + 28), directory.readUInt16LE(at + 30)];
    const path = directory.toString("utf8", at + 46, at + 46 + nameLength);
    const extra = directory.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength);
    const facts = factsOf(directory.subarray(at, at + 46), extra);
    if (!path.endsWith("/")) yield { path, size: facts.size, read: () => readEntry(file, facts) };
    at += 46 + nameLength + extraLength + directory.readUInt16LE(at + 32);
  }
}

const DAMAGED = "the archive is damaged";

async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, offset);
  if (bytesRead < length) throw new SourceError(DAMAGED);
  return bytes;
}

interface Directory {
  readonly offset: number;
  readonly length: number;
}

/** The last mark in the file that can be the directory's end: a comment may stand behind it. */
async function directoryOf(file: FileHandle, size: number): Promise<Directory> {
  const length = Math.min(size, END_BYTES + COMMENT_BYTES_MAX);
  const tail = await readAt(file, size - length, length);
  for (let at = length - END_BYTES; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END_OF_DIRECTORY) continue;
    const [bytes, offset] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
    const isLarge = offset === ELSEWHERE || bytes === ELSEWHERE || tail.readUInt16LE(at + 10) === 0xffff;
    return isLarge ? largeDirectory(file, size - length + at) : { offset, length: bytes };
  }
  throw new SourceError("the archive ends in the middle");
}

async function largeDirectory(file: FileHandle, end: number): Promise<Directory> {
  if (end < LOCATOR_BYTES) throw new SourceError(DAMAGED);
  const locator = await readAt(file, end - LOCATOR_BYTES, LOCATOR_BYTES);
  if (locator.readUInt32LE(0) !== LARGE_LOCATOR) throw new SourceError(DAMAGED);
  const record = await readAt(file, Number(locator.readBigUInt64LE(8)), 56);
  if (record.readUInt32LE(0) !== LARGE_END) throw new SourceError(DAMAGED);
  return { offset: Number(record.readBigUInt64LE(48)), length: Number(record.readBigUInt64LE(40)) };
}

interface EntryFacts {
  readonly flags: number;
  readonly method: number;
  readonly packedSize: number;
  readonly size: number;
  readonly offset: number;
}

function factsOf(entry: Buffer, extra: Buffer): EntryFacts {
  const small = [entry.readUInt32LE(24), entry.readUInt32LE(20), entry.readUInt32LE(42)];
  const large = largeNumbers(extra);
  // Those that did not fit stand there, in this order.
  const [size = 0, packedSize = 0, offset = 0] = small.map((number) =>
    number === ELSEWHERE ? (large.shift() ?? number) : number,
  );
  return { flags: entry.readUInt16LE(8), method: entry.readUInt16LE(10), packedSize, size, offset };
}

function largeNumbers(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    const field = extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
    return Array.from({ length: field.length >> 3 }, (_, index) => Number(field.readBigUInt64LE(index * 8)));
  }
  return [];
}

/** Never more than the directory says, whatever the packed bytes would become. */
async function readEntry(file: FileHandle, facts: EntryFacts): Promise<Buffer> {
  if ((facts.flags & ENCRYPTED_FLAG) !== 0) throw new SourceError("it is encrypted");
  const head = await readAt(file, facts.offset, 30);
  if (head.readUInt32LE(0) !== LOCAL_ENTRY) throw new SourceError(DAMAGED);
  const start = facts.offset + 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
  const { size } = await file.stat();
  if (start + facts.packedSize > size) throw new SourceError(DAMAGED);
  const packed = await readAt(file, start, facts.packedSize);
  if (facts.method === STORED) return packed;
  if (facts.method !== DEFLATED) throw new SourceError(`it is packed by method ${facts.method}`);
  return unpack(packed, { maxOutputLength: Math.max(facts.size, 1) }).catch((cause) => {
    throw new SourceError(DAMAGED, { cause });
  });
}
