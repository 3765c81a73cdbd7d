// Clients that watch: they go on where they were whenever a watch ends, at any of the servers, and list anew only when they
// are told that the past is gone.
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../support/random.ts";
import { isObserved, OBJECTS, type Sight, sightOf } from "./clients.ts";

const LIST_MS_MAX = 6000;
/** Who hears nothing for so long looks elsewhere. */
const SILENT_MS_MAX = 5000;
const AGAIN_MS = 100;
/** Some go elsewhere though all is well, after so many events at most. */
const EVENTS_MAX = 400;

export interface SeenEvent {
  readonly type: string;
  readonly name: string;
  readonly mark: string;
  readonly revision: number;
}

/** What a watcher saw between two lists. */
export interface Stretch {
  readonly list: Sight;
  readonly events: SeenEvent[];
  /** Everything up to it was seen. */
  upTo: number;
  /** What it was told at its end; "": it was not told so, or has not ended. */
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
  /** What no server may say. */
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
        // Nobody is there, or no longer.
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

  /** Whether it has to list anew. */
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

  /** Whether it has to list anew. */
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
