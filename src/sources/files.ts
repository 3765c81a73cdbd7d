// Objects of files: one, all below a folder, or those of an archive. What a file is its content says, not its name. Of what
// must-gather has collected only its two folders of objects are read, as most of the rest is logs.
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { objectsInText } from "./objects-in-text.ts";
import { SourceError, type SourceItem, skipped } from "./source.ts";
import { ByteReader, isTarHeader, tarEntries } from "./tar.ts";

/** A file of objects that is larger cannot be a text in memory. */
const FILE_BYTES_MAX = 400 * 1024 * 1024;
const ENDINGS = /\.(yaml|yml|json|jsonl|ndjson)$/;
/** The folders of objects of must-gather, and of `oc adm inspect`. */
const GATHERED = /(^|\/)(cluster-scoped-resources|namespaces)\//;

/** Beginnings of files of which it can be said what they are, and what to do. */
const FOREIGN: readonly (readonly [magic: string, at: number, what: string])[] = [
  ["fd377a585a00", 0, "is compressed by xz: unpack it with xz -d"],
  ["28b52ffd", 0, "is compressed by zstd: unpack it with zstd -d"],
  ["504b0304", 0, "is a zip archive: unpack it, and name the folder"],
  ["edcd0aed", 16, "is a database of etcd, which cannot be read here"],
];

/**
 * Of a file, a folder, an archive (tar, tar.gz), or the standard input ("-"). What a person has named must be readable:
 * throws SourceError. What is found below is told of as skipped where it is not.
 */
export async function* readFiles(path: string): AsyncGenerator<SourceItem, void, undefined> {
  if (path === "-") return yield* readNamed("the standard input", process.stdin);
  const about = await stat(path).catch((cause) => {
    throw new SourceError(`${path} cannot be read`, { cause });
  });
  if (about.isDirectory()) yield* readFolder(path);
  else yield* readNamed(path, createReadStream(path));
}

async function* readNamed(
  name: string,
  stream: AsyncIterable<Uint8Array>,
): AsyncGenerator<SourceItem, void, undefined> {
  let found = 0;
  let isWhole = true;
  for await (const item of readStream(name, stream)) {
    if (item.type === "skipped" && item.origin === name) {
      if (found === 0) throw new SourceError(`${name}: ${item.reason}`);
      isWhole = false;
    }
    found++;
    yield item;
  }
  if (found === 0 && isWhole) yield skipped(name, "holds no objects");
}

async function* readFolder(folder: string): AsyncGenerator<SourceItem, void, undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && ENDINGS.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const isGathered = files.some((file) => /(^|\/)cluster-scoped-resources\//.test(file.slice(folder.length)));
  const wanted = isGathered ? files.filter((file) => GATHERED.test(file.slice(folder.length))) : files;
  if (wanted.length === 0) yield skipped(folder, "holds no files of objects");
  for (const file of wanted) yield* readStream(file, createReadStream(file));
}

/** What cannot be read any more is told of, and ends it. */
async function* readStream(
  origin: string,
  stream: AsyncIterable<Uint8Array>,
): AsyncGenerator<SourceItem, void, undefined> {
  try {
    const bytes = new ByteReader(stream);
    const start = await bytes.peek(2);
    const isPacked = start[0] === 0x1f && start[1] === 0x8b;
    yield* readContent(origin, isPacked ? new ByteReader(unpacked(bytes)) : bytes);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isOfDisk = "code" in error || error instanceof SourceError;
    if (!isOfDisk) throw error;
    yield skipped(origin, `cannot be read: ${error.message}`);
  }
}

function unpacked(bytes: ByteReader): AsyncIterable<Uint8Array> {
  const gunzip = createGunzip();
  pipeline(Readable.from(bytes), gunzip, () => undefined); // whoever reads is told what was wrong
  return gunzip;
}

async function* readContent(origin: string, bytes: ByteReader): AsyncGenerator<SourceItem, void, undefined> {
  const start = await bytes.peek(512);
  const hex = start.toString("hex");
  const foreign = FOREIGN.find(([magic, at]) => hex.startsWith(magic, at * 2));
  if (foreign !== undefined) yield skipped(origin, foreign[2]);
  else if (isTarHeader(start)) yield* readArchive(origin, bytes);
  else {
    const text = await bytes.peek(FILE_BYTES_MAX);
    if (text.length === FILE_BYTES_MAX) yield skipped(origin, "is too large");
    else yield* objectsInText(decodedText(text), origin);
  }
}

async function* readArchive(origin: string, bytes: ByteReader): AsyncGenerator<SourceItem, void, undefined> {
  let isGathered = false;
  for await (const entry of tarEntries(bytes)) {
    const isOfGathering = GATHERED.test(entry.path);
    isGathered ||= /(^|\/)cluster-scoped-resources\//.test(entry.path);
    if (!ENDINGS.test(entry.path) || (isGathered && !isOfGathering)) continue;
    const inside = `${origin}:${entry.path}`;
    if (entry.size > FILE_BYTES_MAX) yield skipped(inside, "is too large");
    else yield* objectsInText(decodedText(await entry.read()), inside);
  }
}

/** UTF-8 unless a mark at the start says UTF-16, as some shells write it. */
function decodedText(bytes: Buffer): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return bytes.subarray(2).toString("utf16le");
  if (first === 0xfe && second === 0xff) return Buffer.from(bytes.subarray(2)).swap16().toString("utf16le");
  const text = bytes.toString("utf8");
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
