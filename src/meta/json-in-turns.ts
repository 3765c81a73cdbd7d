// The JSON of a large value, written with pauses for others. The writer keeps its own stack, and what it has written
// is kept as bytes: a text that grows by single letters would be much more to collect.
import { isObject, type JsonObject } from "./json.ts";
import { encodeJson, keysInOrder, type MemberOrder, orderWithin } from "./json-encode.ts";
import { isLongToSort, sortedSteps } from "./sort-steps.ts";
import type { Steps } from "./steps.ts";
import { pauseForOthers } from "./turns.ts";

/** So many values are written before the time is looked at. */
const VALUES_OF_SLICE = 512;
/** A part of a text that is written in parts takes as long as so many values. */
const PART_VALUES = 32;

/** What encodeJson gives. `mend` makes of each piece of the text what is kept; a piece ends between two values. */
export async function encodeJsonInTurns(
  value: unknown,
  order?: MemberOrder,
  mend = (piece: string): string => piece,
): Promise<string> {
  return (await written(value, order, mend)).bytes().toString("utf8");
}

/** The same as bytes, with a text behind it: what is large is not made a text only to leave as bytes. */
export async function jsonBytesInTurns(
  value: unknown,
  order: MemberOrder | undefined,
  mend: (piece: string) => string,
  end: string,
): Promise<Buffer> {
  return (await written(value, order, mend)).bytes(end);
}

async function written(
  value: unknown,
  order: MemberOrder | undefined,
  mend: (piece: string) => string,
): Promise<JsonWriter> {
  const writer = new JsonWriter(value, order, mend);
  while (!writer.goOn(VALUES_OF_SLICE)) {
    const pause = pauseForOthers();
    if (pause) await pause;
  }
  return writer;
}

/** A list, or an object, that is being written; or the parts of the text of one. */
interface Opened {
  readonly parts?: Iterator<string, unknown>;
  readonly list: readonly unknown[] | undefined;
  readonly object: Readonly<JsonObject>;
  keys: readonly string[];
  /** Very many keys that are not in order yet. */
  sorting?: Steps<string[]> | undefined;
  readonly order: MemberOrder | undefined;
  next: number;
  isEmpty: boolean;
}

class JsonWriter {
  readonly #chunks: Buffer[] = [];
  readonly #outer: Opened[] = [];
  readonly #mend: (piece: string) => string;
  #opened: Opened | undefined;
  #out = "";

  constructor(value: unknown, order: MemberOrder | undefined, mend: (piece: string) => string) {
    this.#mend = mend;
    this.#write(value, order);
  }

  /** Writes so many values more; false: there are others behind them. */
  goOn(count: number): boolean {
    for (let left = count; left > 0 && this.#opened !== undefined; ) left -= this.#step(this.#opened, count);
    this.#chunks.push(Buffer.from(this.#mend(this.#out)));
    this.#out = "";
    return this.#opened === undefined;
  }

  bytes(end = ""): Buffer {
    return Buffer.concat([...this.#chunks, Buffer.from(end)]);
  }

  /** Returns as how many values the step counts. A slice is `slice` values. */
  #step(opened: Opened, slice: number): number {
    if (opened.parts !== undefined) return this.#writePart(opened.parts, slice);
    if (opened.sorting !== undefined) {
      const { done, value } = opened.sorting.next();
      if (done) [opened.keys, opened.sorting] = [value, undefined];
      return slice;
    }
    this.#writeNext(opened);
    return 1;
  }

  /** A part that is empty has taken as long as a slice. */
  #writePart(parts: Iterator<string, unknown>, slice: number): number {
    const { done, value } = parts.next();
    if (done) {
      this.#opened = this.#outer.pop();
      return 1;
    }
    this.#out += value;
    return value === "" ? slice : PART_VALUES;
  }

  #writeNext(opened: Opened): void {
    const { list, object, keys } = opened;
    if (opened.next === (list ?? keys).length) {
      this.#out += list === undefined ? "}" : "]";
      this.#opened = this.#outer.pop();
      return;
    }
    const index = opened.next++;
    if (list !== undefined) {
      this.#separate(opened);
      this.#write(list[index], opened.order?.items);
      return;
    }
    const key = keys[index] ?? "";
    const value = object[key];
    if (value === undefined) return;
    this.#separate(opened);
    this.#out += `${encodeJson(key)}:`;
    this.#write(value, orderWithin(opened.order, key));
  }

  #separate(opened: Opened): void {
    if (!opened.isEmpty) this.#out += ",";
    opened.isEmpty = false;
  }

  #write(value: unknown, order: MemberOrder | undefined): void {
    const isContainer = typeof value === "object" && value !== null;
    const parts = isContainer ? unseen.get(value)?.parts?.() : undefined;
    if (parts !== undefined) {
      this.#enter({ parts, list: undefined, object: {}, keys: [], order, next: 0, isEmpty: true });
      return;
    }
    const text = isContainer ? lateText(value) : encodeJson(value);
    if (text !== undefined) this.#out += text;
    else if (Array.isArray(value)) this.#open(value, {}, [], order);
    else if (isObject(value))
      this.#open(undefined, value, order?.members ? keysInOrder(value, order) : [], order);
  }

  #open(
    list: Opened["list"],
    object: Opened["object"],
    keys: Opened["keys"],
    order: MemberOrder | undefined,
  ): void {
    this.#out += list === undefined ? "{" : "[";
    const opened: Opened = { list, object, keys, order, next: 0, isEmpty: true };
    if (list === undefined && order?.members === undefined) {
      const unsorted = Object.keys(object);
      if (isLongToSort(unsorted)) opened.sorting = sortedSteps(unsorted);
      else opened.keys = keysInOrder(object, order);
    }
    this.#enter(opened);
  }

  #enter(opened: Opened): void {
    if (this.#opened !== undefined) this.#outer.push(this.#opened);
    this.#opened = opened;
  }
}

// An object that is made when somebody looks into it. What makes a text of it can take the text from where the object
// would be made from, and most such objects are never made.

interface Late {
  make(): JsonObject;
  /** What encodeJson() would give. */
  text(): string;
  /** The length of the text in bytes of UTF-8, where that is found without the text. */
  bytes?(): number;
  /** The same in parts of a few hundred letters; "" where to go on takes long, and others may have their turn. */
  parts?(): Iterator<string, unknown>;
}

/** By the object as others see it, until they look into it. */
const unseen = new WeakMap<object, Late>();

/** All ways of looking into an object, and of changing it. */
const WAYS = [
  "get",
  "has",
  "ownKeys",
  "getOwnPropertyDescriptor",
  "set",
  "defineProperty",
  "deleteProperty",
  "preventExtensions",
] as const satisfies readonly (keyof ProxyHandler<object>)[];

/** None takes more than three arguments beside its target. */
type Way = (target: JsonObject, one: unknown, two: unknown, three: unknown) => unknown;

export function lateObject(late: Late): JsonObject {
  const handler: Record<string, unknown> = {};
  const object = new Proxy<JsonObject>({}, handler);
  for (const way of WAYS) {
    handler[way] = (target: JsonObject, one: unknown, two: unknown, three: unknown) => {
      if (unseen.delete(object))
        Object.defineProperties(target, Object.getOwnPropertyDescriptors(late.make()));
      return (Reflect[way] as Way)(target, one, two, three);
    };
  }
  unseen.set(object, late);
  return object;
}

/** How many bytes lateText has, where that is known without the text. */
export const lateBytes = (value: unknown): number | undefined =>
  typeof value === "object" && value !== null ? unseen.get(value)?.bytes?.() : undefined;

/** The JSON of an object that nobody has looked into yet; undefined for all others. */
export const lateText = (value: unknown): string | undefined =>
  typeof value === "object" && value !== null ? unseen.get(value)?.text() : undefined;
