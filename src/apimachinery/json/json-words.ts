// Lookups of the JSON decoder: cached keys, duplicate keys, and the meaning of letters and numbers.
import { goQuote } from "../go/strconv.ts";
import { lookupTable } from "./json.ts";

const DUPLICATES_MAX = 100;
/** From this size on the keys of an object are recorded: V8 takes a tenth of a second to list 400,000 members. */
const MANY_KEYS = 10_000;

/** Returns the keys of an object. */
export type KeysOf = (object: object) => readonly string[];

const manyKeys = new WeakMap<object, string[]>();

/** The keys in the order of the text. Valid for a decoded object that was not changed, except by removed members. */
export const keysAsRead: KeysOf = (object) => manyKeys.get(object) ?? Object.keys(object);

/** Records the keys of one text. The decoder reports the start and the end of each container. */
export class KeyNotes {
  readonly #duplicates = new Set<string>();
  readonly #outerCounts: number[] = [];
  #count = 0;

  /** Dotted paths of duplicate keys. */
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

  /** Called before a new member is added to the object. */
  add(object: object, key: string): void {
    if (++this.#count <= MANY_KEYS) return;
    const keys = manyKeys.get(object);
    if (keys === undefined) manyKeys.set(object, [...Object.keys(object), key]);
    else keys.push(key);
  }

  /** Records a duplicate key of the object at these steps. */
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

// Cache of keys, which repeat from object to object. A known key is found by its text in place, without a new substring
// of the input. A substring would also keep the whole input in memory.

const SIZE = 2048;
/** Up to this length V8 copies a substring; longer ones refer to the whole text. */
const COPIED_LENGTH_MAX = 12;
const keys: string[] = new Array<string>(SIZE).fill("");

/** Returns the key at this part of the text, which has this hash. */
export function cachedKey(text: string, start: number, end: number, hash: number): string {
  const slot = (hash >>> 0) % SIZE;
  const known = keys[slot] ?? "";
  if (known.length === end - start && text.startsWith(known, start)) return known;
  const part = text.slice(start, end);
  const fresh = part.length <= COPIED_LENGTH_MAX ? part : Buffer.from(part).toString();
  keys[slot] = fresh;
  return fresh;
}

// Escapes and numbers of JSON, and how error messages show them.

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

/** Characters of the smallest int64, with its sign. */
const INT64_CHARACTERS_MAX = 20;

/**
 * Numbers of sixteen and more digits: a number while exact, a bigint within int64, else the nearest double. No bigint
 * is made of longer texts, since the time for that is quadratic.
 */
export function bigNumber(literal: string): number | bigint {
  const near = Number(literal);
  if (Number.isSafeInteger(near) || literal.length > INT64_CHARACTERS_MAX) return near;
  const exact = BigInt(literal);
  return BigInt.asIntN(64, exact) === exact ? exact : near;
}

/** Formats a byte as Go's error messages do. */
export function quoteByte(code: number): string {
  const letter = String.fromCharCode(code);
  if (letter === '"') return `'"'`;
  return letter === "'" ? "'\\''" : `'${goQuote(letter).slice(1, -1)}'`;
}
