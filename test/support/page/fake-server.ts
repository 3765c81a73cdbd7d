// A fake server for the web UI: the test decides when watches start, deliver and break.
import type { JsonObject } from "../../../src/apimachinery/json/json.ts";
import type { Failure } from "../../../src/ui/data/kind-table.ts";
import type { Transport } from "../../../src/ui/data/kind-watch.ts";
import type { Kind } from "../../../src/ui/data/records.ts";
import type { HeldClock } from "./held-clock.ts";

type Told = Parameters<Transport["watch"]>[2];

interface Stream {
  readonly kind: Kind;
  readonly told: Told;
  /** Frames in flight. */
  queue: string[];
  readonly delivered: string[];
}

interface Logged {
  readonly kind: Kind;
  readonly revision: number;
  readonly frame: string;
}

/** Time from a request to its answer. */
const ANSWER_MS = 1;
const NOBODY: Failure = { code: 0, message: "" };

export class FakeServer implements Transport {
  clusterUid = "first";
  isDown = false;
  /** The error of each kind that the server rejects. */
  readonly refusals = new Map<Kind, Failure>();
  identityFailure: Failure | undefined;
  /** The recorded requests: "pods list", "pods resume", "identity". */
  readonly asked: string[] = [];
  readonly #clock: HeldClock;
  readonly #objects = new Map<string, { readonly kind: Kind; readonly object: object }>();
  readonly #streams = new Set<Stream>();
  #log: Logged[] = [];
  /** All objects, by revision. */
  readonly #history = new Map<
    number,
    ReadonlyMap<string, { readonly kind: Kind; readonly object: object }>
  >();
  #revision = 0;
  #floor = 0;
  #uids = 0;
  #clusters = 0;

  constructor(clock: HeldClock) {
    this.#clock = clock;
  }

  get revision(): number {
    return this.#revision;
  }

  get streams(): number {
    return this.#streams.size;
  }

  /** The uids of the objects of a kind, with their revisions. */
  state(kind: Kind, revision = this.#revision): Map<string, number> {
    return new Map(
      this.#objectsAt(kind, revision).map((object) => {
        const { metadata } = object as { metadata: { uid: string; resourceVersion: string } };
        return [metadata.uid, Number(metadata.resourceVersion)];
      }),
    );
  }

  async list(kind: Kind, revision: number): Promise<readonly JsonObject[] | Failure> {
    this.asked.push(`${kind} exact`);
    if (revision < this.#floor) return { code: 410, message: "too old" };
    return this.#objectsAt(kind, revision);
  }

  put(kind: Kind, name: string, rest: object = {}): void {
    const key = `${kind}/${name}`;
    const before = this.#objects.get(key)?.object as { metadata: { uid: string } } | undefined;
    const uid = before?.metadata.uid ?? `${this.clusterUid}-${++this.#uids}`;
    const resourceVersion = String(++this.#revision);
    const metadata = { name, namespace: "shop", uid, resourceVersion };
    const object = { metadata, ...rest };
    this.#objects.set(key, { kind, object });
    this.#publish(kind, before ? "MODIFIED" : "ADDED", object);
  }

  remove(kind: Kind, name: string): void {
    const key = `${kind}/${name}`;
    const found = this.#objects.get(key)?.object as { metadata: object } | undefined;
    if (!found) return;
    this.#objects.delete(key);
    const metadata = { ...found.metadata, resourceVersion: String(++this.#revision) };
    this.#publish(kind, "DELETED", { ...found, metadata });
  }

  /** Delivers frames in flight: at most `count` of each stream. */
  deliver(count = Number.POSITIVE_INFINITY): void {
    for (const stream of this.#streams) {
      for (let n = 0; n < count && stream.queue.length > 0; n++) {
        if (!this.#streams.has(stream)) break;
        const frame = stream.queue.shift() ?? "";
        stream.delivered.push(frame);
        stream.told.frame(frame);
      }
    }
  }

  /** Delivers the last frames once more, in their order. */
  repeat(count: number): void {
    for (const { delivered, told } of this.#streams)
      for (const frame of delivered.slice(-count)) told.frame(frame);
  }

  /** Ends streams: in order, or as a lost connection, which drops the events in flight. */
  cut(kind: Kind | undefined, isInOrder: boolean): void {
    for (const stream of [...this.#streams]) {
      if (kind !== undefined && stream.kind !== kind) continue;
      this.#streams.delete(stream);
      stream.told.closed(isInOrder ? undefined : NOBODY);
    }
  }

  /** Compacts the history: clients that lag behind must relist. */
  compact(): void {
    this.#floor = this.#revision;
    this.#log = [];
  }

  bookmark(): void {
    for (const { kind, queue } of this.#streams) queue.push(bookmark(kind, this.#revision, false));
  }

  /** Replaces the cluster by a new one at the same address: revisions start again and the cluster UID is new. */
  restart(): void {
    this.clusterUid = `cluster-${++this.#clusters}`;
    this.#objects.clear();
    this.#history.clear();
    this.#log = [];
    this.#revision = 0;
    this.#floor = 0;
    this.cut(undefined, false);
  }

  watch(kind: Kind, query: string, told: Told): () => void {
    const from = new URLSearchParams(query).get("resourceVersion");
    this.asked.push(`${kind} ${from === null ? "list" : "resume"}`);
    let stream: Stream | undefined;
    const cancel = this.#clock.after(ANSWER_MS, () => {
      const failure = this.isDown ? NOBODY : (this.refusals.get(kind) ?? this.#tooOld(from));
      if (failure) {
        told.closed(failure);
        return;
      }
      stream = { kind, told, queue: this.#beginning(kind, from), delivered: [] };
      this.#streams.add(stream);
      told.opened();
    });
    return () => {
      cancel();
      if (stream) this.#streams.delete(stream);
    };
  }

  identity(told: (answer: string | Failure) => void): () => void {
    this.asked.push("identity");
    return this.#clock.after(ANSWER_MS, () =>
      told(this.isDown ? NOBODY : (this.identityFailure ?? this.clusterUid)),
    );
  }

  #objectsAt(kind: Kind, revision: number): JsonObject[] {
    const found = [...(this.#history.get(revision)?.values() ?? [])].filter((entry) => entry.kind === kind);
    return found.map(({ object }) => object as JsonObject);
  }

  /** An even revision is rejected by the handshake with 410; an odd one is reported in the stream. */
  #tooOld(from: string | null): Failure | undefined {
    const isOld = from !== null && Number(from) < this.#floor;
    return isOld && Number(from) % 2 === 0 ? { code: 410, message: "too old" } : undefined;
  }

  #beginning(kind: Kind, from: string | null): string[] {
    if (from === null) {
      const objects = [...this.#objects.values()].filter((entry) => entry.kind === kind);
      const frames = objects.map(({ object }) => JSON.stringify({ type: "ADDED", object }));
      return [...frames, bookmark(kind, this.#revision, true)];
    }
    if (Number(from) < this.#floor) return [JSON.stringify({ type: "ERROR", object: { code: 410 } })];
    return this.#log
      .filter((event) => event.kind === kind && event.revision > Number(from))
      .map(({ frame }) => frame);
  }

  #publish(kind: Kind, type: string, object: object): void {
    const frame = JSON.stringify({ type, object });
    this.#history.set(this.#revision, new Map(this.#objects));
    this.#log.push({ kind, revision: this.#revision, frame });
    for (const stream of this.#streams) if (stream.kind === kind) stream.queue.push(frame);
  }
}

function bookmark(kind: Kind, revision: number, isListEnd: boolean): string {
  const annotations = isListEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {};
  const object = { kind, metadata: { resourceVersion: String(revision), ...annotations } };
  return JSON.stringify({ type: "BOOKMARK", object });
}
