// The object shown: a watch of this object alone, and its text, which is read again after each new version.
import { signal } from "@preact/signals";
import type { JsonObject } from "../../apimachinery/json/json.ts";
import { isObject, objectAt, parsedJson, textAt } from "../../apimachinery/json/json.ts";
import { type Failure, failureIn } from "../data/kind-table.ts";
import { delayBefore, isRefusal, type Transport } from "../data/kind-watch.ts";
import { toldOf } from "../frame/answer.ts";
import type { ToldStatus } from "../frame/ask.ts";
import type { PageClock } from "../frame/browser-clock.ts";

export interface LiveDeps {
  /** Watches the object; the arguments are those of Transport.watch. */
  watch(query: string, told: Parameters<Transport["watch"]>[2]): () => void;
  /** Reads the text. Rejects with Refused. */
  read(): Promise<string>;
  readonly clock: PageClock;
}

/** "refused": the user may get the object, but not watch it. */
export type LiveState = "opening" | "live" | "lost" | "refused";

/** Each watch starts with initial events, so a change during a disconnect is never missed. */
const QUERY = "watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
const LIST_END = "k8s.io/initial-events-end";
/** Minimum interval between reads of the text, in milliseconds. */
const READ_GAP_MS = 250;

export class LiveObject {
  readonly state = signal<LiveState>("opening");
  /** The object of the last watch event; undefined before the first one. */
  readonly object = signal<JsonObject | undefined>(undefined);
  readonly text = signal<string | undefined>(undefined);
  readonly isGone = signal(false);
  /** Why the text cannot be read. */
  readonly refused = signal<ToldStatus | undefined>(undefined);
  readonly #deps: LiveDeps;
  #end = () => {};
  #endWait = () => {};
  #isEnded = false;
  #tries = 0;
  #isReading = false;
  #isStale = false;

  constructor(deps: LiveDeps) {
    this.#deps = deps;
  }

  /** Starts the watch, if the user may watch the object. */
  follow(isAllowed: boolean): void {
    this.#isEnded = false;
    this.#end();
    if (isAllowed) this.#watch();
    else this.state.value = "refused";
  }

  stop(): void {
    this.#isEnded = true;
    this.#end();
    this.#endWait();
  }

  /** Reads the text; during a read, once more after it. */
  read(): void {
    this.#isStale = true;
    if (!this.#isReading) void this.#readOn();
  }

  async #readOn(): Promise<void> {
    this.#isReading = true;
    this.#isStale = false;
    try {
      const text = await this.#deps.read();
      if (this.#isEnded) return;
      this.text.value = text;
      this.refused.value = undefined;
    } catch (error) {
      if (this.#isEnded) return;
      this.refused.value = toldOf(error);
    }
    this.#endWait = this.#deps.clock.after(READ_GAP_MS, () => {
      this.#isReading = false;
      if (this.#isStale) void this.#readOn();
    });
  }

  #watch(): void {
    let isThere = false;
    this.#end = this.#deps.watch(QUERY, {
      opened: () => {
        this.state.value = "live";
      },
      frame: (frame) => {
        const { type, object } = eventIn(frame);
        if (type === "ERROR") {
          this.#end();
          this.#closed(failureIn(object));
        } else if (type === "BOOKMARK") {
          this.#tries = 0;
          if (isListEnd(object) && !isThere) this.isGone.value = true;
        } else if (object) {
          isThere = type !== "DELETED";
          this.isGone.value = !isThere;
          if (isThere) this.#take(object);
        }
      },
      closed: (failure) => this.#closed(failure),
    });
  }

  #take(object: JsonObject): void {
    const isKnown = versionOf(object) === versionOf(this.object.value);
    if (isKnown && this.refused.value === undefined) return; // after a failed read, the same version is read again
    this.object.value = object;
    this.read();
  }

  #closed(failure: Failure | undefined): void {
    if (this.#isEnded) return;
    if (failure && isRefusal(failure)) {
      this.state.value = "refused";
      return;
    }
    this.state.value = "lost";
    this.#end = this.#deps.clock.after(delayBefore(++this.#tries, this.#deps.clock), () => this.#watch());
  }
}

function eventIn(frame: string): { readonly type: unknown; readonly object: JsonObject | undefined } {
  const event = parsedJson(frame);
  return isObject(event)
    ? { type: event["type"], object: objectAt(event, "object") }
    : { type: "", object: undefined };
}

const versionOf = (object: JsonObject | undefined): string =>
  textAt(objectAt(object, "metadata"), "resourceVersion");

const isListEnd = (object: JsonObject | undefined): boolean =>
  textAt(objectAt(objectAt(object, "metadata"), "annotations"), LIST_END) === "true";
