// What a reader of JSON knows: the keys of a text, kept and noted while it is read, and what its letters and numbers mean.
import { goQuote } from "../go/strconv.ts";
import { lookupTable } from "./json.ts";

const DUPLICATES_MAX = 100;
/** The keys of an object of so many are kept: to ask V8 for those of 400,000 members takes a tenth of a second. */
const MANY_KEYS = 10_000;

/** How the keys of an object are found. */
export type KeysOf = (object: object) => readonly string[];

const manyKeys = new WeakMap<object, string[]>();

/** The keys in the order of the text. Only for what has been read and is not changed yet, but for members that went. */
export const keysAsRead: KeysOf = (object) => manyKeys.get(object) ?? Object.keys(object);

/** The keys of one text. The reader tells of each object where it begins and where it ends. */
export class KeyNotes {
  readonly #duplicates = new Set<string>();
  readonly #outerCounts: number[] = [];
  #count = 0;

  /** Dotted paths of keys that came twice. */
  get duplicates(): string[] {
    return [...this.#duplicates];
  }

  /** A list or an object begins. */
  open(): void {
    this.#outerCounts.push(this.#count);
    this.#count = 0;
  }

  close(): void {
    this.#count = this.#outerCounts.pop() ?? 0;
  }

  /** The object is about to get a member of this name, which it has not yet. */
  add(object: object, key: string): void {
    if (++this.#count <= MANY_KEYS) return;
    const keys = manyKeys.get(object);
    if (keys === undefined) manyKeys.set(object, [...Object.keys(object), key]);
    else keys.push(key);
  }

  /** A key came twice in the object to which these steps lead. */
  addDuplicate(steps: readonly (string | number)[], key: string): void {
    if (this.#duplicates.size >= DUPLICATES_MAX) return;
    let path = "";
    for (const step of steps) {
      if (typeof step === "number") path += `[${step}]`;
      else path += path === "" ? step : `.${step}`;
    }
    this.#duplicates.add(path === "" ? key : `${path}.${key}`);
  }
}

// Keys repeat from object to object: a known key is found by its text in place, without cutting a new string out of the
// input (which would also keep the whole input alive).

const SIZE = 2048;
/** Up to this length V8 copies what is cut out of a text; longer parts refer to the whole. */
const COPIED_LENGTH_MAX = 12;
const keys: string[] = new Array<string>(SIZE).fill("");

/** The part of the text, which has this hash. */
export function cachedKey(text: string, start: number, end: number, hash: number): string {
  const slot = (hash >>> 0) % SIZE;
  const known = keys[slot] ?? "";
  if (known.length === end - start && text.startsWith(known, start)) return known;
  const part = text.slice(start, end);
  const fresh = part.length <= COPIED_LENGTH_MAX ? part : Buffer.from(part).toString();
  keys[slot] = fresh;
  return fresh;
}

// What single letters and numbers of a JSON text mean, and how complaints show them.

export const ESCAPES: Readonly<Record<string, string>> = lookupTable({
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
});

/** Of the smallest int64, with its sign. */
const INT64_CHARACTERS_MAX = 20;

/**
 * Sixteen digits and more: a number while exact, a bigint within int64, else the nearest double. A million digits are made no
 * bigint, which takes the second power of their number.
 */
export function bigNumber(literal: string): number | bigint {
  const near = Number(literal);
  if (Number.isSafeInteger(near) || literal.length > INT64_CHARACTERS_MAX) return near;
  const exact = BigInt(literal);
  return BigInt.asIntN(64, exact) === exact ? exact : near;
}

/** A byte as Go's complaints about it show it. */
export function quoteByte(code: number): string {
  const letter = String.fromCharCode(code);
  if (letter === '"') return `'"'`;
  return letter === "'" ? "'\\''" : `'${goQuote(letter).slice(1, -1)}'`;
}
