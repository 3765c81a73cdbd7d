// Buckets of a bbolt file: B+ trees of pages with ordered keys. They are read from the last key to the first, because
// only the newest value of each of etcd's keys is needed.
//
//   branch element  [pos u32][key size u32][page u64]                     pos counts from the element itself to its key
//   leaf element    [flags u32][pos u32][key size u32][value size u32]    flags 1: the value is a bucket
//   bucket          [root page u64][sequence u64]                         root 0: its only page follows
import { SourceError } from "../source.ts";
import { BRANCH, DAMAGED, HEADER_BYTES, LEAF, type Page, type PageFile, pageIn } from "./pages.ts";

export interface Element {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly isBucket: boolean;
}

const ELEMENT_BYTES = 16;
/** A tree of this depth with two keys per page exceeds the size of any disk. */
const DEPTH_MAX = 64;

/** A page of a bucket: in the file, or inside another. */
type Place = number | Page;

/** All elements of a bucket, the last key first. Throws SourceError for damage, after the readable elements. */
export async function* elementsOf(file: PageFile, bucket: Place): AsyncGenerator<Element, void, undefined> {
  const seen = new Set<number>();
  let left = file.pages;
  const ahead: { place: Place; depth: number }[] = [{ place: bucket, depth: 0 }];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    const { place, depth } = next;
    if (typeof place === "number" && (seen.has(place) || depth > DEPTH_MAX)) throw new SourceError(DAMAGED);
    if (typeof place === "number") seen.add(place);
    const page = typeof place === "number" ? await file.page(place) : place;
    // Each page belongs to one place. A tree with more pages than the file refers to some of them repeatedly.
    left -= page.pages;
    if (left < 0) throw new SourceError(DAMAGED);
    checkLengths(page, file.isLittle);
    if (page.flags === LEAF)
      for (let at = page.count - 1; at >= 0; at--) yield leafElement(page, at, file.isLittle);
    else if (page.flags === BRANCH)
      for (let at = 0; at < page.count; at++)
        ahead.push({ place: childOf(page, at, file.isLittle), depth: depth + 1 });
    else throw new SourceError(DAMAGED);
  }
}

/** Throws if the elements of a page are together longer than the page: each byte belongs to one of them. */
function checkLengths(page: Page, isLittle: boolean): void {
  let length = HEADER_BYTES;
  for (let index = 0; index < page.count; index++) {
    const at = placeOf(page, index);
    const sizes = page.flags === LEAF ? [8, 12] : [4];
    for (const offset of sizes) length += page.view.getUint32(at + offset, isLittle);
    length += ELEMENT_BYTES;
  }
  if (length > page.bytes.length) throw new SourceError(DAMAGED);
}

/** The bucket of that name in the file; undefined: there is none. */
export async function bucketNamed(file: PageFile, name: string): Promise<Place | undefined> {
  for await (const { key, value, isBucket } of elementsOf(file, file.root))
    if (isBucket && key.toString("latin1") === name) return bucketIn(value, file.isLittle);
  return undefined;
}

function bucketIn(value: Buffer, isLittle: boolean): Place {
  if (value.length < HEADER_BYTES) throw new SourceError(DAMAGED);
  const root = Number(isLittle ? value.readBigUInt64LE(0) : value.readBigUInt64BE(0));
  return root === 0 ? pageIn(value.subarray(HEADER_BYTES), isLittle) : root;
}

/** The offset of an element. Throws if it is outside of the page. */
function placeOf({ bytes }: Page, index: number): number {
  const at = HEADER_BYTES + index * ELEMENT_BYTES;
  if (at + ELEMENT_BYTES > bytes.length) throw new SourceError(DAMAGED);
  return at;
}

function childOf(page: Page, index: number, isLittle: boolean): number {
  return Number(page.view.getBigUint64(placeOf(page, index) + 8, isLittle));
}

function leafElement(page: Page, index: number, isLittle: boolean): Element {
  const at = placeOf(page, index);
  const number = (offset: number) => page.view.getUint32(at + offset, isLittle);
  const from = at + number(4);
  const middle = from + number(8);
  const to = middle + number(12);
  if (to > page.bytes.length) throw new SourceError(DAMAGED);
  return {
    key: page.bytes.subarray(from, middle),
    value: page.bytes.subarray(middle, to),
    isBucket: (number(0) & 1) !== 0,
  };
}
