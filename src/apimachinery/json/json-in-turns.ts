// Encodes large JSON values with yields to the event loop. The encoder has a stack of its own. Its output is kept as
// bytes, since a string that grows by single letters costs the garbage collector much more.

import type { Coroutine } from "../scheduling/coroutine.ts";
import { yieldIfDue } from "../scheduling/event-loop.ts";
import { isLongToSort, sortedSteps } from "../scheduling/sort-steps.ts";
import { isObject, type JsonObject } from "./json.ts";
import { encodeJson, keysInOrder, type MemberOrder, orderWithin } from "./json-encode.ts";

/** Values per slice, before the time is checked. */
const VALUES_OF_SLICE = 512;
/** A part of a text that is written in parts counts as so many values. */
const PART_VALUES = 32;

/** The result of encodeJson. `mend` transforms each piece of the text; a piece ends between two values. */
export async function encodeJsonInTurns(
  value: unknown,
  order?: MemberOrder,
  mend = (piece: string): string => piece,
): Promise<string> {
  return (await written(value, order, mend)).bytes().toString("utf8");
}

/** As bytes, with a text appended: avoids a large string that is only converted to bytes. */
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
    const pause = yieldIfDue();
    if (pause) await pause;
  }
  return writer;
}

/** An open list or object, or the parts of a precomputed text. */
interface Opened {
  readonly parts?: Iterator<string, unknown>;
  readonly list: readonly unknown[] | undefined;
  readonly object: Readonly<JsonObject>;
  keys: readonly string[];
  /** Sorts very many keys in steps. */
  sorting?: Coroutine<string[]> | undefined;
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

  /** Writes so many more values; false: the value has more. */
  goOn(count: number): boolean {
    for (let left = count; left > 0 && this.#opened !== undefined; ) left -= this.#step(this.#opened, count);
    this.#chunks.push(Buffer.from(this.#mend(this.#out)));
    this.#out = "";
    return this.#opened === undefined;
  }

  bytes(end = ""): Buffer {
    return Buffer.concat([...this.#chunks, Buffer.from(end)]);
  }

  /** Returns the number of values that the step counts as. A slice is `slice` values. */
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

  /** An empty part counts as a whole slice. */
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

// A lazily decoded object. Encoders can use its source text directly, and most such objects are never decoded.

interface Late {
  make(): JsonObject;
  /** The result of encodeJson(). */
  text(): string;
  /** The length of the text in bytes of UTF-8, if it is known without the text. */
  bytes?(): number;
  /** The text in parts of a few hundred letters; "" where the next part takes long, so that the caller may yield. */
  parts?(): Iterator<string, unknown>;
}

/** Objects that are not decoded yet, by their proxies. */
const unseen = new WeakMap<object, Late>();

/** All proxy traps that read or change an object. */
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

/** No trap has more than three arguments beside its target. */
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

/** The length of lateText in bytes, if it is known without the text. */
export const lateBytes = (value: unknown): number | undefined =>
  typeof value === "object" && value !== null ? unseen.get(value)?.bytes?.() : undefined;

/** The JSON of an object that is not decoded yet; undefined for all other values. */
export const lateText = (value: unknown): string | undefined =>
  typeof value === "object" && value !== null ? unseen.get(value)?.text() : undefined;
