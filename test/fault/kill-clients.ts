// Clients that write to a server until it dies, record its answers, and compare them with the state after a restart.
import { expect } from "vitest";
import type { Random } from "../support/random.ts";

const WRITERS = 8;
const OBJECTS_PER_WRITER = 6;
const PATH = "/api/v1/namespaces/default/configmaps";
const LABEL = "kill=test";
const SEEN_MS_MAX = 5000;

/** The expected state of an object: undefined when it does not exist. */
interface State {
  readonly resourceVersion: string;
  readonly value: string;
}

interface Known {
  /** The last acknowledged state. */
  state: State | undefined;
  /** The possible result of an unanswered request: its value, or "gone". */
  maybe: string | undefined;
}

interface Seen {
  readonly type: string;
  readonly name: string;
  readonly resourceVersion: string;
}

interface ConfigMap {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data: { readonly value: string };
}

export class KillClients {
  readonly #random: Random;
  readonly #known = new Map<string, Known>();
  readonly #seen: Seen[] = [];
  /** The revisions of the acknowledged changes. */
  readonly #changes = new Set<string>();
  #watchFrom = "";
  #number = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  get answered(): number {
    return this.#changes.size;
  }

  /** Writes and watches until the server dies. */
  async work(url: string): Promise<void> {
    const watching = this.#watch(url, () => false).catch(() => {});
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => this.#write(url, writer)));
    await watching;
  }

  /** Checks that every object is as acknowledged, and that the watch has missed no event. */
  async check(url: string): Promise<void> {
    const list = await ask(url, "GET", `${PATH}?labelSelector=${encodeURIComponent(LABEL)}`);
    const { metadata, items } = list as { metadata: { resourceVersion: string }; items: ConfigMap[] };
    const there = new Map(items.map((item) => [item.metadata.name, stateOf(item)]));
    for (const name of there.keys()) expect(this.#known.has(name), name).toBe(true);
    for (const [name, known] of this.#known) this.#compare(name, known, there.get(name));
    if (this.#watchFrom === "") this.#watchFrom = metadata.resourceVersion;
    await this.#seeTheRest(url);
  }

  #compare(name: string, known: Known, now: State | undefined): void {
    const made =
      known.maybe === "gone" ? now === undefined : known.maybe !== undefined && now?.value === known.maybe;
    if (!made) expect(now, name).toEqual(known.state);
    if (made && now && known.state)
      expect(Number(now.resourceVersion), name).toBeGreaterThan(Number(known.state.resourceVersion));
    this.#known.set(name, { state: now, maybe: undefined });
  }

  /**
   * Sends one more write, and watches up to it: the watch must have delivered every acknowledged change, once and in
   * order.
   */
  async #seeTheRest(url: string): Promise<void> {
    const name = `mark-${this.#number++}`;
    const { state } = await this.#create(url, name);
    await this.#watch(url, (seen) => seen.resourceVersion === state?.resourceVersion);
    const revisions = this.#seen.map(({ resourceVersion }) => Number(resourceVersion));
    for (const [index, revision] of revisions.entries()) {
      expect(revision).toBeGreaterThan(index === 0 ? 0 : (revisions[index - 1] ?? 0));
    }
    const seen = new Set(this.#seen.map(({ resourceVersion }) => resourceVersion));
    expect([...this.#changes].filter((revision) => !seen.has(revision))).toEqual([]);
  }

  async #write(url: string, writer: number): Promise<void> {
    try {
      for (;;) {
        const name = `w${writer}-${this.#random.below(OBJECTS_PER_WRITER)}`;
        const { state } = this.#known.get(name) ?? {};
        if (state === undefined) await this.#create(url, name);
        else if (this.#random.below(3) > 0) await this.#change(url, name);
        else await this.#delete(url, name);
      }
    } catch (error) {
      if (!(error instanceof Gone)) throw error;
    }
  }

  async #create(url: string, name: string): Promise<Known> {
    const value = String(this.#number++);
    const body = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, labels: { kill: "test" } },
      data: { value },
    };
    return this.#noted(name, value, await this.#asking(name, value, () => ask(url, "POST", PATH, body)));
  }

  async #change(url: string, name: string): Promise<Known> {
    const value = String(this.#number++);
    const request = () => ask(url, "PATCH", `${PATH}/${name}`, { data: { value } });
    return this.#noted(name, value, await this.#asking(name, value, request));
  }

  async #delete(url: string, name: string): Promise<void> {
    await this.#asking(name, "gone", () => ask(url, "DELETE", `${PATH}/${name}`));
    this.#known.set(name, { state: undefined, maybe: undefined });
  }

  /** Until the answer arrives, the state of the object is unknown. */
  async #asking(name: string, maybe: string, request: () => Promise<unknown>): Promise<unknown> {
    this.#known.set(name, { state: this.#known.get(name)?.state, maybe });
    return request();
  }

  #noted(name: string, value: string, answer: unknown): Known {
    const { resourceVersion } = (answer as ConfigMap).metadata;
    const known = { state: { resourceVersion, value }, maybe: undefined };
    this.#known.set(name, known);
    this.#changes.add(resourceVersion);
    return known;
  }

  /** Resumes where the last watch was cut, until the wanted event or the death of the server. */
  async #watch(url: string, isLast: (seen: Seen) => boolean): Promise<void> {
    const query = `watch=1&labelSelector=${encodeURIComponent(LABEL)}&resourceVersion=${this.#watchFrom}`;
    const abort = AbortSignal.timeout(SEEN_MS_MAX);
    const answer = await fetch(`${url}${PATH}?${query}`, { signal: abort });
    let text = "";
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = (text + chunk).split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) {
        const { type, object } = JSON.parse(line) as { type: string; object: ConfigMap };
        const seen = { type, ...object.metadata };
        if (type === "ERROR") throw new Error(`the watch could not go on: ${line}`);
        this.#seen.push(seen);
        this.#watchFrom = seen.resourceVersion;
        if (isLast(seen)) return;
      }
    }
  }
}

/** The server died before it answered. */
class Gone extends Error {}

const stateOf = ({ metadata, data }: ConfigMap): State => ({
  resourceVersion: metadata.resourceVersion,
  value: data.value,
});

async function ask(url: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  let answer: { readonly ok: boolean; readonly text: string };
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      ...(body === undefined ? {} : { headers: { "content-type": type }, body: JSON.stringify(body) }),
    });
    answer = { ok: response.ok, text: await response.text() };
  } catch (cause) {
    throw new Gone("no answer", { cause });
  }
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.text}`);
  return JSON.parse(answer.text);
}
