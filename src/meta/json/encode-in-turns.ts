// The JSON of a large value, written with pauses for others. The writer keeps its own stack, and what it has written
// is kept as bytes: a text that grows by single letters would be much more to collect.
import { pauseForOthers } from "../clock.ts";
import { isObject, type JsonObject } from "../json.ts";
import { encodeJson, sortedKeys } from "../json-encode.ts";
import { lateText } from "./late-object.ts";

/** So many values are written before the time is looked at. */
const VALUES_OF_SLICE = 512;

/** What encodeJson gives. */
export async function encodeJsonInTurns(value: unknown): Promise<string> {
  const writer = new JsonWriter(value);
  while (!writer.goOn(VALUES_OF_SLICE)) {
    const pause = pauseForOthers();
    if (pause) await pause;
  }
  return writer.text();
}

/** A list, or an object, that is being written. */
interface Opened {
  readonly list: readonly unknown[] | undefined;
  readonly object: Readonly<JsonObject>;
  readonly keys: readonly string[];
  next: number;
  isEmpty: boolean;
}

class JsonWriter {
  readonly #chunks: Buffer[] = [];
  readonly #outer: Opened[] = [];
  #opened: Opened | undefined;
  #out = "";

  constructor(value: unknown) {
    this.#write(value);
  }

  /** Writes so many values more; false: there are others behind them. */
  goOn(count: number): boolean {
    for (let left = count; left > 0 && this.#opened !== undefined; left--) this.#step(this.#opened);
    this.#chunks.push(Buffer.from(this.#out));
    this.#out = "";
    return this.#opened === undefined;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }

  #step(opened: Opened): void {
    const { list, object, keys } = opened;
    if (opened.next === (list ?? keys).length) {
      this.#out += list === undefined ? "}" : "]";
      this.#opened = this.#outer.pop();
      return;
    }
    const index = opened.next++;
    if (list !== undefined) {
      this.#separate(opened);
      this.#write(list[index]);
      return;
    }
    const key = keys[index] ?? "";
    const value = object[key];
    if (value === undefined) return;
    this.#separate(opened);
    this.#out += `${encodeJson(key)}:`;
    this.#write(value);
  }

  #separate(opened: Opened): void {
    if (!opened.isEmpty) this.#out += ",";
    opened.isEmpty = false;
  }

  #write(value: unknown): void {
    const isContainer = typeof value === "object" && value !== null;
    const text = isContainer ? lateText(value) : encodeJson(value);
    if (text !== undefined) this.#out += text;
    else if (Array.isArray(value)) this.#open(value, {}, []);
    else if (isObject(value)) this.#open(undefined, value, sortedKeys(value));
  }

  #open(list: Opened["list"], object: Opened["object"], keys: Opened["keys"]): void {
    this.#out += list === undefined ? "{" : "[";
    if (this.#opened !== undefined) this.#outer.push(this.#opened);
    this.#opened = { list, object, keys, next: 0, isEmpty: true };
  }
}
