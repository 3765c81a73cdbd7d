// Reads a zip archive by its central directory, which is at the end of the file. Entries are read one by one, by random
// access, and only on request.
import type { FileHandle } from "node:fs/promises";
import { promisify } from "node:util";
import { crc32, inflateRaw } from "node:zlib";
import { yieldIfDue } from "../../../apimachinery/scheduling/event-loop.ts";
import type { SourceBudget } from "./limits.ts";
import { SourceError } from "./source.ts";

export interface ZipEntry {
  readonly path: string;
  /** Unpacked size by the directory. */
  readonly size: number;
  /** Why it is not read; undefined: it can be. */
  readonly refused: string | undefined;
  /** Throws SourceError for a damaged entry, and for one that differs from the directory. */
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
/** Marks a number that is in the zip64 extra field. */
const ELSEWHERE = 0xffffffff;
const DIRECTORY_ENTRY_BYTES = 46;
const LOCAL_ENTRY_BYTES = 30;
const DIRECTORY_BYTES_MAX = 256 * 1024 * 1024;

const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED_FLAG = 1;
/** Sizes and checksum follow the data, and are 0 in the header. */
const STREAMED_FLAG = 8;
/** The Unix mode, in the upper half of the attributes. */
const [FILE_TYPE, SYMBOLIC_LINK] = [0o170000, 0o120000];

const unpack = promisify(inflateRaw);

/**
 * Regular files only. Throws SourceError for an archive without its directory, or with more entries or bytes than the
 * budget permits. Also throws if two entries share bytes: each byte is unpacked at most once, so the cost is bounded by
 * the size of the archive.
 */
export async function zipEntries(file: FileHandle, budget: SourceBudget): Promise<ZipEntry[]> {
  const { size } = await file.stat();
  const { offset, length } = await directoryOf(file, size);
  if (length > DIRECTORY_BYTES_MAX || offset + length > size) throw new SourceError(DAMAGED);
  const directory = await readAt(file, offset, length);
  const found: EntryFacts[] = [];
  for (
    let at = 0;
    at + DIRECTORY_ENTRY_BYTES <= directory.length && directory.readUInt32LE(at) === DIRECTORY_ENTRY;
  ) {
    const [nameLength, extraLength] = [directory.readUInt16LE(at + 28), directory.readUInt16LE(at + 30)];
    const nameAt = at + DIRECTORY_ENTRY_BYTES;
    const name = directory.subarray(nameAt, nameAt + nameLength);
    const extra = directory.subarray(nameAt + nameLength, nameAt + nameLength + extraLength);
    budget.entry();
    found.push(factsOf(directory.subarray(at, nameAt), name, extra));
    at = nameAt + nameLength + extraLength + directory.readUInt16LE(at + 32);
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
  }
  checkPlaces(found, offset);
  const seen = new Set<string>();
  return found
    .filter(({ path }) => !path.endsWith("/"))
    .map((facts) => {
      const refused = seen.has(facts.path) ? "has a name that another entry has, too" : refusalOf(facts);
      seen.add(facts.path);
      budget.ratio(facts.packedSize, facts.size);
      return { path: facts.path, size: facts.size, refused, read: () => readEntry(file, facts, budget) };
    });
}

/** Throws if an entry overlaps another one or the directory. */
function checkPlaces(entries: readonly EntryFacts[], directory: number): void {
  const sorted = [...entries].sort((a, b) => a.offset - b.offset);
  let end = 0;
  for (const { offset, packedSize, nameLength } of sorted) {
    if (offset < end) throw new SourceError("the archive has entries that share bytes");
    end = offset + LOCAL_ENTRY_BYTES + nameLength + packedSize;
  }
  if (end > directory) throw new SourceError(DAMAGED);
}

function refusalOf({ flags, method, mode }: EntryFacts): string | undefined {
  if ((flags & ENCRYPTED_FLAG) !== 0) return "is encrypted";
  if (method !== STORED && method !== DEFLATED) return `is packed by method ${method}, which is not read`;
  return (mode & FILE_TYPE) === SYMBOLIC_LINK ? "is a symbolic link" : undefined;
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

/** The last signature in the file that may be the end of the directory: a comment may follow it. */
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
  readonly path: string;
  readonly nameLength: number;
  readonly flags: number;
  readonly method: number;
  readonly sum: number;
  readonly mode: number;
  readonly packedSize: number;
  readonly size: number;
  readonly offset: number;
}

/** Throws for numbers beyond the limits of an archive. */
function factsOf(entry: Buffer, name: Buffer, extra: Buffer): EntryFacts {
  const small = [entry.readUInt32LE(24), entry.readUInt32LE(20), entry.readUInt32LE(42)];
  const large = largeNumbers(extra);
  // Values that did not fit are there, in this order.
  const numbers = small.map((number) => (number === ELSEWHERE ? (large.shift() ?? number) : number));
  if (!numbers.every(Number.isSafeInteger)) throw new SourceError(DAMAGED);
  const [size = 0, packedSize = 0, offset = 0] = numbers;
  const [flags, method, sum] = [entry.readUInt16LE(8), entry.readUInt16LE(10), entry.readUInt32LE(16)];
  const mode = entry.readUInt16LE(40);
  return {
    path: name.toString("utf8"),
    nameLength: name.length,
    flags,
    method,
    sum,
    mode,
    packedSize,
    size,
    offset,
  };
}

function largeNumbers(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    const field = extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
    return Array.from({ length: field.length >> 3 }, (_, index) => Number(field.readBigUInt64LE(index * 8)));
  }
  return [];
}

/** Unpacks at most the size of the directory, and only if the local header matches the directory. */
async function readEntry(file: FileHandle, facts: EntryFacts, budget: SourceBudget): Promise<Buffer> {
  const refused = refusalOf(facts);
  if (refused !== undefined) throw new SourceError(`an entry ${refused}`);
  const head = await readAt(file, facts.offset, LOCAL_ENTRY_BYTES + facts.nameLength);
  if (!isHeaderOf(head, facts)) throw new SourceError(DAMAGED);
  const start = facts.offset + head.length + head.readUInt16LE(28);
  const { size } = await file.stat();
  if (start + facts.packedSize > size) throw new SourceError(DAMAGED);
  const packed = await readAt(file, start, facts.packedSize);
  budget.unpacked(facts.size);
  const content = facts.method === STORED ? packed : await unpacked(packed, facts);
  if (content.length !== facts.size || crc32(content) !== facts.sum) throw new SourceError(DAMAGED);
  return content;
}

/** A streaming writer knows the sizes only afterwards; sizes of large entries are in the zip64 field. */
function isHeaderOf(
  head: Buffer,
  { path, nameLength, method, packedSize, size, flags }: EntryFacts,
): boolean {
  const named = [head.readUInt32LE(18), head.readUInt32LE(22)];
  const isStreamed = (flags & STREAMED_FLAG) !== 0;
  const isSame = (said: number | undefined, known: number) =>
    said === known || said === ELSEWHERE || isStreamed;
  return (
    head.readUInt32LE(0) === LOCAL_ENTRY &&
    head.readUInt16LE(8) === method &&
    head.readUInt16LE(26) === nameLength &&
    head.toString("utf8", LOCAL_ENTRY_BYTES) === path &&
    isSame(named[0], packedSize) &&
    isSame(named[1], size)
  );
}

const unpacked = (packed: Buffer, { size }: EntryFacts): Promise<Buffer> =>
  unpack(packed, { maxOutputLength: Math.max(size, 1) }).catch((cause) => {
    throw new SourceError(DAMAGED, { cause });
  });
