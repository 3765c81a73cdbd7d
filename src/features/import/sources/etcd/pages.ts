// Pages of a bbolt file, by random access. The file may be damaged or malicious: every number in it is validated before
// it is used.
//
//   page    [id u64][flags u16][count u16][overflow u32] elements…      the next `overflow` pages carry on without headers
//   meta    [magic u32][version u32][page size u32][flags u32][root bucket u64 u64][freelist u64][high water u64][txid u64][sum u64]
import type { FileHandle } from "node:fs/promises";
import { SourceError } from "../source.ts";

export const HEADER_BYTES = 16;
const META_BYTES = 64;
const MAGIC = 0xed0cdaed;
const VERSION = 2;
/** Limit of one page with its overflow pages. Two values of etcd's maximum size are a tenth of it. */
const PAGE_BYTES_MAX = 64 * 1024 * 1024;

export const BRANCH = 1;
export const LEAF = 2;

export interface Page {
  readonly flags: number;
  readonly count: number;
  /** Number of pages of the file, overflow pages included; 0 for a page inside another. */
  readonly pages: number;
  readonly view: DataView;
  readonly bytes: Buffer;
}

interface Meta {
  readonly isLittle: boolean;
  readonly pageSize: number;
  readonly root: number;
  readonly highWater: number;
  readonly txid: bigint;
}

export const DAMAGED = "the copy of etcd is damaged";
const CUT = "the copy of etcd ends in the middle";

/** Whether the start of a file is that of a bbolt file, in either byte order. */
export const isPageFile = (start: Buffer): boolean =>
  start.length >= 24 && (start.readUInt32LE(16) === MAGIC || start.readUInt32BE(16) === MAGIC);

export class PageFile {
  readonly #file: FileHandle;
  readonly #meta: Meta;
  readonly #size: number;

  private constructor(file: FileHandle, meta: Meta, size: number) {
    this.#file = file;
    this.#size = size;
    this.#meta = meta;
  }

  /** Opens by the newer of the two valid meta pages. Throws SourceError. */
  static async open(file: FileHandle): Promise<PageFile> {
    const { size } = await file.stat();
    const metas: Meta[] = [];
    for (const place of [0, ...PAGE_SIZES]) {
      const meta = metaIn(await bytesAt(file, place, HEADER_BYTES + META_BYTES));
      if (meta !== undefined && (place === 0 || place === meta.pageSize)) metas.push(meta);
    }
    const [newest] = metas.sort((a, b) => (a.txid < b.txid ? 1 : -1));
    if (newest === undefined) throw new SourceError(DAMAGED);
    return new PageFile(file, newest, size);
  }

  /** The page of the root bucket. */
  get root(): number {
    return this.#meta.root;
  }

  /** Number of pages by the meta page, limited by the size of the file. */
  get pages(): number {
    return Math.min(this.#meta.highWater, Math.ceil(this.#size / this.#meta.pageSize));
  }

  get isLittle(): boolean {
    return this.#meta.isLittle;
  }

  /** Throws SourceError. */
  async page(id: number): Promise<Page> {
    const { pageSize, highWater } = this.#meta;
    if (id < 2 || id >= highWater) throw new SourceError(DAMAGED);
    const first = await bytesAt(this.#file, id * pageSize, pageSize);
    if (first.length < pageSize) throw new SourceError(CUT);
    const overflow = viewOf(first).getUint32(12, this.isLittle);
    if (overflow === 0) return pageIn(first, this.isLittle, 1);
    const length = (overflow + 1) * pageSize;
    if (id + overflow >= highWater || length > PAGE_BYTES_MAX) throw new SourceError(DAMAGED);
    const all = await bytesAt(this.#file, id * pageSize, length);
    if (all.length < length) throw new SourceError(CUT);
    return pageIn(all, this.isLittle, overflow + 1);
  }
}

/**
 * Possible offsets of the second meta page: one page behind the first. The page size is that of the machine that wrote
 * the file.
 */
const PAGE_SIZES = Array.from({ length: 15 }, (_, power) => 1024 << power);

export function pageIn(bytes: Buffer, isLittle: boolean, pages = 0): Page {
  if (bytes.length < HEADER_BYTES) throw new SourceError(DAMAGED);
  const view = viewOf(bytes);
  return { flags: view.getUint16(8, isLittle), count: view.getUint16(10, isLittle), pages, view, bytes };
}

const viewOf = ({ buffer, byteOffset, length }: Buffer): DataView => new DataView(buffer, byteOffset, length);

/** Fewer at the end. */
async function bytesAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  const { bytesRead } = await file.read(bytes, 0, length, offset);
  return bytes.subarray(0, bytesRead);
}

/** undefined: it is no meta page, or its checksum does not match. */
function metaIn(bytes: Buffer): Meta | undefined {
  if (bytes.length < HEADER_BYTES + META_BYTES || !isPageFile(bytes)) return undefined;
  const view = viewOf(bytes);
  const isLittle = view.getUint32(16, true) === MAGIC;
  const number = (at: number) => Number(view.getBigUint64(at, isLittle));
  if (view.getUint32(20, isLittle) !== VERSION || view.getBigUint64(72, isLittle) !== sumOf(bytes))
    return undefined;
  const pageSize = view.getUint32(24, isLittle);
  if (!PAGE_SIZES.includes(pageSize)) return undefined;
  return {
    isLittle,
    pageSize,
    root: number(32),
    highWater: number(56),
    txid: view.getBigUint64(64, isLittle),
  };
}

/** FNV-1a over the members of a meta. */
function sumOf(bytes: Buffer): bigint {
  let sum = 0xcbf29ce484222325n;
  for (const byte of bytes.subarray(HEADER_BYTES, HEADER_BYTES + 56))
    sum = ((sum ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return sum;
}
