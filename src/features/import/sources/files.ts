// Objects of files: of one file, a folder, an archive or a copy of etcd. The type of a file is determined by its
// content, not its name. Which files of a folder or an archive are read is determined by its layout.
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import process from "node:process";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { systemReason } from "../../../apimachinery/meta/system-reason.ts";
import { yieldIfDue } from "../../../apimachinery/scheduling/event-loop.ts";
import { ByteReader } from "./bytes.ts";
import { isPageFile } from "./etcd/pages.ts";
import type { Entry } from "./forms/entry.ts";
import { Layouts } from "./forms/layout.ts";
import { counted, exceeded, PATH_BYTES_MAX, SourceBudget, type SourceLimits } from "./limits.ts";
import { objectsInText } from "./objects-in-text.ts";
import { SourceError, type SourceItem, skipped } from "./source.ts";
import { isTarHeader, tarEntries } from "./tar.ts";
import { portionsOf } from "./text/portions.ts";
import { zipEntries } from "./zip.ts";

type Items = AsyncGenerator<SourceItem, void, undefined>;

const STDIN = "the standard input";
const ZIP = "504b0304";
const START_BYTES = 32;
/** Names used by etcdctl, OpenShift's backups and etcd itself. */
const isCopyOfEtcd = (path: string): boolean => /(^|\/)(snapshot[^/]*\.db|member\/snap\/db)$/.test(path);

/** Magic bytes of unsupported files, and what to do with them. */
const FOREIGN: readonly (readonly [magic: string, at: number, what: string])[] = [
  ["fd377a585a00", 0, "is compressed by xz: unpack it with xz -d"],
  ["28b52ffd", 0, "is compressed by zstd: unpack it with zstd -d"],
  ["425a68", 0, "is compressed by bzip2: unpack it with bzip2 -d"],
  ["1f8b08", 0, "is compressed twice: unpack it once with gzip -d"],
  [ZIP, 0, "is a zip archive, which has to be a file of its own: unpack what it lies in"],
  ["edda0ced", 16, "is a copy of etcd, which has to be a file of its own: unpack what it lies in"],
];

/**
 * Reads a file, a folder, an archive, a copy of etcd, or the standard input ("-"). Throws SourceError if the path
 * itself is unreadable. Unreadable parts below it are reported as skipped.
 */
export async function* readFiles(path: string, limits?: SourceLimits): Items {
  const budget = new SourceBudget(limits);
  if (path === "-")
    return yield* readNamed(STDIN, told(STDIN, readStream({ origin: STDIN, budget }, process.stdin)));
  const file = await open(path).catch((cause) => {
    throw new SourceError(`${path} cannot be read${systemReason(cause)}`, { cause });
  });
  try {
    const isFolder = (await file.stat()).isDirectory();
    const reading = { origin: path, budget };
    yield* isFolder ? readFolder(reading) : readNamed(path, readFile(reading, file));
  } finally {
    await file.close();
  }
}

/** A part of a source that is being read. */
interface Reading {
  readonly origin: string;
  /** Shared by all parts. */
  readonly budget: SourceBudget;
}

/** Some types are read by random access, others as a stream. */
async function* readFile(reading: Reading, file: FileHandle, entry?: Entry): Items {
  yield* told(reading.origin, readOpened(reading, file, entry));
}

async function* readOpened(reading: Reading, file: FileHandle, entry?: Entry): Items {
  const path = reading.origin;
  const { bytesRead, buffer } = await file.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
  const start = buffer.subarray(0, bytesRead);
  if (start.toString("hex").startsWith(ZIP)) yield* readZip(reading, file);
  else if (isPageFile(start) || isCopyOfEtcd(path)) yield* readCopyOfEtcd(path, file);
  else yield* readStream(reading, file.createReadStream({ start: 0, autoClose: false }), entry);
}

async function* readNamed(name: string, items: Items): Items {
  let found = 0;
  let isWhole = true;
  for await (const item of items) {
    if (item.type === "skipped" && item.origin === name) {
      if (found === 0) throw new SourceError(`${name}: ${item.reason}`);
      isWhole = false;
    }
    found++;
    yield item;
  }
  if (found === 0 && isWhole) yield skipped(name, "holds no objects");
}

async function* readFolder({ origin: folder, budget }: Reading): Items {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
  const layouts = new Layouts();
  for (const path of paths) yield* recognised(layouts, path, folder);
  let isEmpty = true;
  for (const path of paths) {
    const entry = isCopyOfEtcd(path) ? {} : layouts.entryAt(path);
    if (entry === undefined) continue;
    isEmpty = false;
    budget.entry();
    yield* readBelow({ origin: join(folder, path), budget }, entry);
  }
  if (isEmpty) yield skipped(folder, emptyReason(layouts));
}

async function* readBelow(reading: Reading, entry: Entry): Items {
  const file = await open(reading.origin);
  try {
    yield* readFile(reading, file, entry);
  } finally {
    await file.close();
  }
}

const emptyReason = (layouts: Layouts): string =>
  layouts.isOfHosts
    ? "is a support bundle with data of hosts alone: it was collected without the cluster's objects"
    : "holds no files of objects";

function* recognised(layouts: Layouts, path: string, origin: string): Generator<SourceItem, void, undefined> {
  const layout = layouts.recognise(path);
  if (layout?.notes.form !== undefined) yield { type: "notes", notes: layout.notes, origin };
}

async function* readStream(reading: Reading, stream: AsyncIterable<Uint8Array>, entry?: Entry): Items {
  yield* readContent(reading, stream, entry);
}

/** Reports a read error of a part as skipped; that ends the part. Other errors are bugs and are thrown. */
async function* told(origin: string, items: Items): Items {
  try {
    yield* items;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isOfDisk = "code" in error || error instanceof SourceError;
    if (!isOfDisk) throw error;
    yield skipped(origin, `cannot be read: ${error.message}`);
  }
}

/** Unpacks a stream; the unpacked size is checked against the packed size. */
async function* unpacked(
  bytes: ByteReader,
  budget: SourceBudget,
): AsyncGenerator<Uint8Array, void, undefined> {
  let [packed, all] = [0, 0];
  const gunzip = createGunzip();
  const source = counted(bytes, (count) => {
    packed += count;
  });
  pipeline(Readable.from(source), gunzip, () => undefined); // the reader gets the error
  try {
    for await (const chunk of gunzip) {
      all += chunk.length;
      budget.ratio(packed, all);
      yield chunk;
    }
  } finally {
    gunzip.destroy();
  }
}

async function* readContent(
  reading: Reading,
  stream: AsyncIterable<Uint8Array>,
  entry: Entry | undefined,
): Items {
  const { origin, budget } = reading;
  const packed = new ByteReader(stream);
  const [first, second] = await packed.peek(2);
  const isPacked = first === 0x1f && second === 0x8b;
  const plain = counted(isPacked ? unpacked(packed, budget) : packed, (count) => budget.unpacked(count));
  const bytes = new ByteReader(plain);
  const start = await bytes.peek(512);
  const hex = start.toString("hex");
  const foreign = FOREIGN.find(([magic, at]) => hex.startsWith(magic, at * 2));
  if (foreign !== undefined) yield skipped(origin, foreign[2]);
  else if (isTarHeader(start)) yield* readPacked(reading, tarEntries(bytes, budget));
  else yield* readTexts(reading, decodedTexts(bytes), entry);
}

async function* readTexts({ origin, budget }: Reading, texts: AsyncIterable<string>, entry?: Entry): Items {
  for await (const text of portionsOf(texts, undefined, budget.limits))
    yield* runYielding(objectsInText(text, origin, entry));
}

/** Loaded on demand: only this needs the built-in kinds, which take time to load. */
async function* readCopyOfEtcd(path: string, file: FileHandle): Items {
  const { readEtcd } = await import("./etcd/snapshot.ts");
  yield* readEtcd(file, path);
}

/** The central directory lists all entries before the first is read. */
async function* readZip(reading: Reading, file: FileHandle): Items {
  yield* readPacked(reading, await zipEntries(file, reading.budget));
}

interface Packed {
  readonly path: string;
  readonly size: number;
  /** Why it is not read; undefined: it can be. */
  readonly refused?: string | undefined;
  read(): Promise<Buffer>;
}

async function* readPacked(reading: Reading, entries: AsyncIterable<Packed> | readonly Packed[]): Items {
  const { origin, budget } = reading;
  const layouts = new Layouts();
  if (Array.isArray(entries)) for (const { path } of entries) yield* recognised(layouts, path, origin);
  let isEmpty = true;
  for await (const packed of entries) {
    yield* recognised(layouts, packed.path, origin);
    const entry = layouts.entryAt(packed.path);
    if (entry === undefined) continue;
    isEmpty = false;
    const inside = `${origin}:${packed.path}`;
    const refused = packed.refused ?? pathComplaint(packed.path);
    if (refused !== undefined) yield skipped(inside, refused);
    else if (packed.size > budget.limits.documentBytesMax)
      yield skipped(inside, exceeded(budget.limits, "documentBytesMax", "it is larger than").message);
    else yield* readTexts({ origin: inside, budget }, pieces(decodedText(await packed.read())), entry);
  }
  if (isEmpty) yield skipped(origin, emptyReason(layouts));
}

/**
 * Nothing is written to this path. But no tool creates such a path, and its content cannot be trusted to be what the
 * path implies.
 */
function pathComplaint(path: string): string | undefined {
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) return `has a path of more than ${PATH_BYTES_MAX} bytes`;
  const isOutside = /^([/\\]|[A-Za-z]:)/.test(path) || path.split(/[/\\]/).includes("..");
  return isOutside ? "has a path that leads out of the archive" : undefined;
}

async function* pieces(text: string): AsyncGenerator<string, void, undefined> {
  yield text;
}

/** Yields to the event loop between items. */
async function* runYielding(items: Iterable<SourceItem>): Items {
  for (const item of items) {
    yield item;
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
  }
}

/** UTF-8, unless a byte order mark indicates UTF-16, as some shells write it. */
function decoderFor([first, second]: Uint8Array) {
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le");
  return new TextDecoder(first === 0xfe && second === 0xff ? "utf-16be" : "utf-8");
}

const decodedText = (bytes: Buffer): string => decoderFor(bytes).decode(bytes);

async function* decodedTexts(bytes: ByteReader): AsyncGenerator<string, void, undefined> {
  const decoder = decoderFor(await bytes.peek(2));
  for await (const part of bytes) yield decoder.decode(part, { stream: true });
  yield decoder.decode();
}
