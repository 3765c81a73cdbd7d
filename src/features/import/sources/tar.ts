// Reads a tar archive as a stream, without temporary files, entry by entry. Only entries that the caller reads are
// buffered. Supports names of ustar, of GNU's long form and of pax.
import type { ByteReader } from "./bytes.ts";
import type { SourceBudget } from "./limits.ts";
import { SourceError } from "./source.ts";

export interface TarEntry {
  readonly path: string;
  readonly size: number;
  /** Reads the whole entry; only valid before the next entry is requested. */
  read(): Promise<Buffer>;
}

const BLOCK = 512;
/** Limit of a name or a block of names; no tool writes longer ones. */
const NAMES_BYTES_MAX = 1 << 20;

/** Whether the first block of a file is a tar header. */
export const isTarHeader = (block: Uint8Array): boolean =>
  block.length >= BLOCK && sumOf(block) === fieldOf(block, 148, 8);

/** Yields regular files only. Throws SourceError for an archive that is truncated or damaged. */
export async function* tarEntries(
  bytes: ByteReader,
  budget: SourceBudget,
): AsyncGenerator<TarEntry, void, undefined> {
  let longName: string | undefined;
  let fields: ReadonlyMap<string, string> = new Map();
  for (;;) {
    const header = await bytes.take(BLOCK);
    if (header.length === 0 || header.every((byte) => byte === 0)) return;
    if (!isTarHeader(header)) throw new SourceError(header.length < BLOCK ? CUT : "the archive is damaged");
    const size = sizeOf(header, fields.get("size"));
    budget.entry();
    const padding = (BLOCK - (size % BLOCK)) % BLOCK;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === "S")
      throw new SourceError("the archive has sparse files, which are not read: pack it without --sparse");
    if (type === "L" || type === "x") {
      const names = await takeAll(bytes, size, NAMES_BYTES_MAX);
      if (type === "L") longName = textOf(names);
      else fields = paxFields(names);
    } else {
      let isRead = false;
      const read = async () => {
        isRead = true;
        return await takeAll(bytes, size, size);
      };
      const path = fields.get("path") ?? longName ?? nameIn(header);
      if (type === "0" || type === "\0" || type === "7") yield { path, size, read };
      if (!isRead && !(await bytes.skip(size))) throw new SourceError(CUT);
      longName = undefined;
      fields = new Map();
    }
    if (!(await bytes.skip(padding))) throw new SourceError(CUT);
  }
}

/** Throws for an invalid size: not a number, negative, or too large for a number. */
function sizeOf(header: Buffer, given: string | undefined): number {
  const size =
    given === undefined ? fieldOf(header, 124, 12) : /^\d+$/.test(given) ? Number(given) : Number.NaN;
  if (!Number.isSafeInteger(size)) throw new SourceError("the archive is damaged");
  return size;
}

const CUT = "the archive ends in the middle";

async function takeAll(bytes: ByteReader, size: number, max: number): Promise<Buffer> {
  if (size > max) throw new SourceError("the archive is damaged");
  const all = await bytes.take(size);
  if (all.length < size) throw new SourceError(CUT);
  return all;
}

/** The checksum over all bytes of the header, with its own field as blanks. */
function sumOf(header: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < BLOCK; at++) sum += at >= 148 && at < 156 ? 0x20 : (header[at] ?? 0);
  return sum;
}

/** A number in octal digits, or in binary if octal is too short. NaN: neither, or negative. */
function fieldOf(header: Uint8Array, at: number, length: number): number {
  const bytes = header.subarray(at, at + length);
  if (((bytes[0] ?? 0) & 0x80) === 0) {
    const digits = textOf(bytes).trim() || "0";
    return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN;
  }
  if (((bytes[0] ?? 0) & 0x40) !== 0) return Number.NaN;
  return bytes.reduce((sum, byte, index) => sum * 256 + (index === 0 ? byte & 0x7f : byte), 0);
}

function nameIn(header: Buffer): string {
  const name = textOf(header.subarray(0, 100));
  const prefix = textOf(header.subarray(257, 262)) === "ustar" ? textOf(header.subarray(345, 500)) : "";
  return prefix === "" ? name : `${prefix}/${name}`;
}

/** Up to the first NUL. */
function textOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
}

/** Concatenated "LENGTH KEY=VALUE\n"; lengths are in bytes. */
function paxFields(bytes: Buffer): Map<string, string> {
  const fields = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const [, digits = ""] = /^(\d+) /.exec(bytes.subarray(at, at + 20).toString("latin1")) ?? [];
    const length = Number(digits);
    if (length === 0) break;
    const [, key = "", value = ""] =
      /^([^=]*)=(.*)\n$/s.exec(bytes.subarray(at + digits.length + 1, at + length).toString("utf8")) ?? [];
    fields.set(key, value);
    at += length;
  }
  return fields;
}
