// Watching clients: when a watch ends, they resume from their resourceVersion at any of the servers. They relist only
// after the server reports that the revision is compacted.
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../support/random.ts";
import { isObserved, OBJECTS, type Sight, sightOf } from "./clients.ts";

const LIST_MS_MAX = 6000;
/** A watcher that receives nothing for so long reconnects to another server. */
const SILENT_MS_MAX = 5000;
const AGAIN_MS = 100;
/** Some watchers switch servers without a fault, after at most so many events. */
const EVENTS_MAX = 400;

export interface SeenEvent {
  readonly type: string;
  readonly name: string;
  readonly mark: string;
  readonly revision: number;
}

/** The events of a watcher between two lists. */
export interface Stretch {
  readonly list: Sight;
  readonly events: SeenEvent[];
  /** The watcher has received everything up to this revision. */
  upTo: number;
  /** The error that ended the watch; "": it ended without an error, or is still open. */
  end: string;
}

interface Told {
  readonly type: string;
  readonly object: {
    readonly code?: number;
    readonly metadata: { readonly name: string; readonly resourceVersion: string };
    readonly data?: { readonly mark: string };
  };
}

export class WatchingClient {
  readonly stretches: Stretch[] = [];
  /** Messages that no correct server sends. */
  readonly complaints: string[] = [];
  /** How often a watch was opened. */
  opened = 0;
  readonly #random: Random;
  readonly #urls: () => readonly string[];

  constructor(random: Random, urls: () => readonly string[]) {
    this.#random = random;
    this.#urls = urls;
  }

  get upTo(): number {
    return this.stretches.at(-1)?.upTo ?? 0;
  }

  async work(signal: AbortSignal): Promise<void> {
    let stretch: Stretch | undefined;
    while (!signal.aborted) {
      try {
        stretch ??= await this.#list(signal);
        if (await this.#follow(stretch, signal)) stretch = undefined;
      } catch {
        // The server is unreachable, or the connection was lost.
      }
      await sleep(AGAIN_MS);
    }
  }

  async #list(signal: AbortSignal): Promise<Stretch> {
    const url = this.#random.one(this.#urls());
    const answer = await fetch(`${url}${OBJECTS}`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(LIST_MS_MAX)]),
    });
    if (!answer.ok) throw new Error(await answer.text());
    const { metadata, items } = (await answer.json()) as { metadata: { resourceVersion: string }; items: [] };
    const revision = Number(metadata.resourceVersion);
    const objects = (items as Told["object"][]).filter((item) => isObserved(item.metadata.name));
    const stretch = { list: sightOf(revision, objects as never), events: [], upTo: revision, end: "" };
    this.stretches.push(stretch);
    return stretch;
  }

  /** Returns whether the watcher has to relist. */
  async #follow(stretch: Stretch, signal: AbortSignal): Promise<boolean> {
    const url = this.#random.one(this.#urls());
    const left = new AbortController();
    const silence = setTimeout(() => left.abort(), SILENT_MS_MAX);
    const query = `watch=1&allowWatchBookmarks=true&resourceVersion=${stretch.upTo}`;
    let rest = this.#random.below(EVENTS_MAX);
    try {
      const answer = await fetch(`${url}${OBJECTS}?${query}`, {
        signal: AbortSignal.any([signal, left.signal]),
      });
      this.opened++;
      if (!answer.ok) {
        stretch.end = await answer.text();
        return answer.status === 410;
      }
      let text = "";
      for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        silence.refresh();
        const lines = (text + chunk).split("\n");
        text = lines.pop() ?? "";
        for (const line of lines) if (this.#take(stretch, JSON.parse(line), line)) return true;
        if (rest-- < 0) return false;
      }
      return false;
    } finally {
      clearTimeout(silence);
      left.abort();
    }
  }

  /** Returns whether the watcher has to relist. */
  #take(stretch: Stretch, { type, object }: Told, line: string): boolean {
    if (type === "ERROR") {
      stretch.end = line;
      if (object.code !== 410) this.complaints.push(line);
      return object.code === 410;
    }
    const { name, resourceVersion } = object.metadata;
    const revision = Number(resourceVersion);
    stretch.upTo = revision;
    if (type === "BOOKMARK" || !isObserved(name)) return false;
    stretch.events.push({ type, name, revision, mark: object.data?.mark ?? "" });
    return false;
  }
}
