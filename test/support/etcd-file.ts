// Writes etcd's data file, so that a test has a snapshot without an etcd: pages of bbolt with a tree of any depth.
import { createHash } from "node:crypto";

export interface Written {
  readonly key: string;
  /** undefined: the key is deleted. */
  readonly value: Buffer | undefined;
  /** Omitted: the previous revision plus one. */
  readonly revision?: number;
}

export interface FileForm {
  readonly pageSize?: number;
  /** Elements per page; a small number makes a deep tree. */
  readonly perPage?: number;
  readonly isLittle?: boolean;
  /** With the checksum that etcdctl appends to the pages. */
  readonly withSum?: boolean;
  readonly compacted?: number;
}

type Element = readonly [key: Buffer, value: Buffer, flags?: number];

/** All revisions of these keys, the oldest first. */
export function etcdFile(written: readonly Written[], form: FileForm = {}): Buffer {
  const { pageSize = 4096, perPage = 40, isLittle = true, withSum = false, compacted } = form;
  const writer = new PageWriter(pageSize, isLittle);
  let last = 1;
  const elements = written.map(({ key, value, revision = last + 1 }): Element => {
    last = revision;
    const mark = value === undefined ? Buffer.from("t") : Buffer.alloc(0);
    return [Buffer.concat([u64(revision), Buffer.from("_"), u64(0), mark]), keyValue(key, value, revision)];
  });
  const keys = writer.bucket(writer.tree(elements, perPage));
  const meta: Element[] = [[Buffer.from("consistent_index"), u64(last)]];
  if (compacted !== undefined) meta.push([Buffer.from("finishedCompactRev"), u64(compacted)]);
  const root = writer.leaf([
    [Buffer.from("key"), keys, 1],
    [Buffer.from("meta"), writer.inline(meta), 1],
  ]);
  const file = writer.finish(root);
  return withSum ? Buffer.concat([file, createHash("sha256").update(file).digest()]) : file;
}

const u64 = (number: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(number));
  return bytes;
};

function varint(number: number): Buffer {
  const bytes: number[] = [];
  let rest = number;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

const delimited = (tag: number, value: Buffer): Buffer =>
  Buffer.concat([Buffer.from([tag]), varint(value.length), value]);

/** A deletion contains only the key. */
function keyValue(key: string, value: Buffer | undefined, revision: number): Buffer {
  const name = delimited(10, Buffer.from(key));
  if (value === undefined) return name;
  const numbers = [16, 24].flatMap((tag) => [Buffer.from([tag]), varint(revision)]);
  return Buffer.concat([name, ...numbers, Buffer.from([32, 1]), delimited(42, value)]);
}

class PageWriter {
  readonly #pages: Buffer[] = [];
  readonly #pageSize: number;
  readonly #isLittle: boolean;
  #next = 2;

  constructor(pageSize: number, isLittle: boolean) {
    this.#pageSize = pageSize;
    this.#isLittle = isLittle;
  }

  /** Returns the page of the tree's root. */
  tree(elements: readonly Element[], perPage: number): number {
    const chunks = inChunks(elements, perPage);
    let level = chunks.map((chunk): readonly [Buffer, number] => [
      chunk[0]?.[0] ?? Buffer.alloc(0),
      this.leaf(chunk),
    ]);
    while (level.length > 1)
      level = inChunks(level, perPage).map((chunk) => [
        chunk[0]?.[0] ?? Buffer.alloc(0),
        this.#branch(chunk),
      ]);
    return level[0]?.[1] ?? this.leaf([]);
  }

  leaf(elements: readonly Element[]): number {
    return this.#add(this.#leafPage(elements));
  }

  inline(elements: readonly Element[]): Buffer {
    return Buffer.concat([this.bucket(0), this.#leafPage(elements)]);
  }

  bucket(root: number): Buffer {
    return this.#numbers(16, [[0, 8, root]]);
  }

  finish(root: number): Buffer {
    const highWater = this.#next;
    const metas = [0, 1].map((txid) => {
      const body = this.#numbers(64, [
        ...([
          [0, 4, 0xed0cdaed],
          [4, 4, 2],
          [8, 4, this.#pageSize],
        ] as const),
        ...([
          [16, 8, root],
          [32, 8, -1],
          [40, 8, highWater],
          [48, 8, 7 + txid],
        ] as const),
      ]);
      let sum = 0xcbf29ce484222325n;
      for (const byte of body.subarray(0, 56)) sum = ((sum ^ BigInt(byte)) * 0x100000001b3n) % (1n << 64n);
      if (this.#isLittle) body.writeBigUInt64LE(sum, 56);
      else body.writeBigUInt64BE(sum, 56);
      return this.#padded(
        Buffer.concat([
          this.#numbers(16, [
            [0, 8, txid],
            [8, 2, 4],
          ]),
          body,
        ]),
      );
    });
    return Buffer.concat([...metas, ...this.#pages]);
  }

  #leafPage(elements: readonly Element[]): Buffer {
    let at = elements.length * 16;
    const heads = elements.map(([key, value, flags = 0], index) => {
      const head = this.#numbers(16, [
        [0, 4, flags],
        [4, 4, at - index * 16],
        [8, 4, key.length],
        [12, 4, value.length],
      ]);
      at += key.length + value.length;
      return head;
    });
    const head = this.#numbers(16, [
      [8, 2, 2],
      [10, 2, elements.length],
    ]);
    return Buffer.concat([head, ...heads, ...elements.map(([key, value]) => Buffer.concat([key, value]))]);
  }

  #branch(children: readonly (readonly [Buffer, number])[]): number {
    let at = children.length * 16;
    const heads = children.map(([key, page], index) => {
      const head = this.#numbers(16, [
        [0, 4, at - index * 16],
        [4, 4, key.length],
        [8, 8, page],
      ]);
      at += key.length;
      return head;
    });
    const head = this.#numbers(16, [
      [8, 2, 1],
      [10, 2, children.length],
    ]);
    return this.#add(Buffer.concat([head, ...heads, ...children.map(([key]) => key)]));
  }

  /** A page larger than the page size continues in overflow pages. */
  #add(page: Buffer): number {
    const id = this.#next;
    const padded = this.#padded(page);
    const count = padded.length / this.#pageSize;
    this.#numbers(4, [[0, 4, count - 1]]).copy(padded, 12);
    this.#pages.push(padded);
    this.#next += count;
    return id;
  }

  #padded(page: Buffer): Buffer {
    return Buffer.concat([
      page,
      Buffer.alloc((this.#pageSize - (page.length % this.#pageSize)) % this.#pageSize),
    ]);
  }

  #numbers(
    length: number,
    members: readonly (readonly [at: number, bytes: 2 | 4 | 8, value: number])[],
  ): Buffer {
    const bytes = Buffer.alloc(length);
    const view = new DataView(bytes.buffer, bytes.byteOffset, length);
    for (const [at, size, value] of members) {
      if (size === 2) view.setUint16(at, value, this.#isLittle);
      else if (size === 4) view.setUint32(at, value, this.#isLittle);
      else view.setBigInt64(at, BigInt(value), this.#isLittle);
    }
    return bytes;
  }
}

function inChunks<T>(items: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let at = 0; at < items.length; at += size) chunks.push(items.slice(at, at + size));
  return chunks;
}
