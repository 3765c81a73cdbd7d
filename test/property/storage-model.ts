// A minimal store model: a copy of the whole state for every revision. Its answers are right by inspection.
import fc from "fast-check";
import type { KeyRange, TxnOp } from "../../src/storage/store.ts";
import { create, remove, update } from "../contract/store-harness.ts";

interface Version {
  readonly text: string;
  readonly create: number;
  readonly mod: number;
}

type State = ReadonlyMap<string, Version>;

/** An operation before the revision of its key is known. */
export interface Intent {
  readonly type: "create" | "update" | "delete";
  readonly key: string;
  /** Expects a wrong revision of the key. */
  readonly stale: boolean;
}

export class StoreModel {
  readonly #states: State[] = [new Map(), new Map()]; // revision 0 is never read
  /** Each revision's events in the format of showChange, with their keys. */
  readonly #events: { readonly key: string; readonly text: string }[][] = [[], []];
  compacted = 1;

  get revision(): number {
    return this.#states.length - 1;
  }

  /**
   * Applies the commit to the model. Returns what a store must answer: the revision, or the code of the first rejected
   * operation.
   */
  commit(ops: readonly TxnOp[]): number | string {
    const revision = this.revision + 1;
    const state = new Map(this.#states.at(-1));
    const events = [];
    for (const op of ops) {
      const prev = state.get(op.key);
      if (op.type === "create" && prev !== undefined) return "KEY_EXISTS";
      if (op.type !== "create" && prev?.mod !== op.ifModRevision) return "REVISION_MISMATCH";
      const was = `(was ${showVersion(op.key, prev)})`;
      if (op.type === "delete") {
        state.delete(op.key);
        events.push({ key: op.key, text: `delete ${op.key} at ${revision} ${was}` });
        continue;
      }
      const text = Buffer.from(op.value).toString();
      const version = { text, create: prev?.create ?? revision, mod: revision };
      state.set(op.key, version);
      events.push({ key: op.key, text: `put ${showVersion(op.key, version)} ${was}` });
    }
    this.#states.push(state);
    this.#events.push(events);
    return revision;
  }

  /** The intents as operations on the newest state. */
  ops(intents: readonly Intent[]): TxnOp[] {
    return intents.map(({ type, key, stale }) => {
      const mod = this.#states.at(-1)?.get(key)?.mod ?? 0;
      const expected = stale ? mod + 1 : mod;
      if (type === "create") return create(key, `${this.revision}`);
      return type === "update" ? update(key, `${this.revision}`, expected) : remove(key, expected);
    });
  }

  list(range: KeyRange, at: number): string[] {
    const entries = [...(this.#states[at] ?? [])].filter(([key]) => key >= range.from && key < range.to);
    return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, version]) => showVersion(key, version));
  }

  changes(range: KeyRange, after: number): string[] {
    return this.#events.flatMap((events, revision) => {
      const mine = events.filter(({ key }) => key >= range.from && key < range.to);
      if (revision <= after || mine.length === 0) return [];
      return [`${revision}: ${mine.map(({ text }) => text).join(", ")}`];
    });
  }
}

function showVersion(key: string, version: Version | undefined): string {
  return version === undefined ? "-" : `${key}=${version.text}@${version.create}/${version.mod}`;
}

export const KEYS = ["/a", "/a/1", "/a/10", "/a/2", "/a0", "/b/1", "/b/2", "/c"];

export const RANGES: readonly KeyRange[] = [
  { from: "/", to: "0" },
  { from: "/a/", to: "/a0" },
  { from: "/a/1", to: "/a/1\0" },
  { from: "/a/10", to: "/b/2" },
  { from: "/c", to: "/d" },
  { from: "/x", to: "/y" },
];

const intent: fc.Arbitrary<Intent> = fc.record({
  type: fc.constantFrom(
    "create" as const,
    "create" as const,
    "update" as const,
    "update" as const,
    "delete" as const,
  ),
  key: fc.constantFrom(...KEYS),
  stale: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
});

export const intents = fc.uniqueArray(intent, { minLength: 1, maxLength: 3, selector: ({ key }) => key });
