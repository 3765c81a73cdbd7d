// Backup of a store as text, history and revisions included. It has one JSON value per line: a head, the state of every
// key at the compacted revision, each change after it, and an end. The end holds the number of changes and the checksum
// of all lines before it, so that a truncated backup is detected.
//
//   {"egretBackup":1,"compacted":4,"revision":6}
//   {"revision":3,"ops":[{"key":"/registry/…","createRevision":2,"value":"AAAB…"}]}
//   {"revision":5,"ops":[{"key":"/registry/…"}]}       without a value: deleted; values are in base64
//   {"end":true,"changes":2,"crc32":3735928559}
import { crc32 } from "node:zlib";
import { isObject } from "../apimachinery/json/json.ts";
import { type Revision, toRevision } from "../apimachinery/meta/revision.ts";
import type { Engine } from "./engine.ts";
import {
  EVERY_KEY,
  eventKey,
  type KeyValue,
  type Store,
  type StoreChange,
  StoreError,
  type StoreEvent,
} from "./store.ts";
import type { Screen } from "./unreadable.ts";

const FORMAT = 1;
const CHANGES_PER_BATCH = 500;

interface Line {
  readonly revision: Revision;
  readonly ops: readonly {
    readonly key: string;
    readonly createRevision?: Revision;
    readonly value?: string;
  }[];
}

/**
 * The lines of a backup, each with its line end. They show the store at its current revision; the store stays writable
 * meanwhile.
 */
export async function* backupLines(store: Store): AsyncGenerator<string> {
  const { compactedRevision: compacted, revision } = store;
  const base = store.list(EVERY_KEY, { at: compacted }).items;
  const changes = await changesAfter(store, compacted);
  let checksum = 0;
  const sealed = (value: object): string => {
    const line = `${JSON.stringify(value)}\n`;
    checksum = crc32(line, checksum);
    return line;
  };
  yield sealed({ egretBackup: FORMAT, compacted, revision });
  let count = 0;
  for (const change of [...asChanges(base), ...changes.filter((change) => change.revision <= revision)]) {
    yield sealed(lineOf(change));
    count++;
  }
  yield `${JSON.stringify({ end: true, changes: count, crc32: checksum })}\n`;
}

async function changesAfter(store: Store, after: Revision): Promise<readonly StoreChange[]> {
  if (store.revision === after) return [];
  const watch = store.watch(EVERY_KEY, { after });
  try {
    return (await watch.next()) ?? [];
  } finally {
    watch.close();
  }
}

/** Turns the state at the compacted revision into changes: the last write of each key, by revision. */
function asChanges(base: readonly KeyValue[]): StoreChange[] {
  const byRevision = new Map<Revision, StoreEvent[]>();
  for (const kv of base) {
    const event: StoreEvent = { type: "put", kv, prev: undefined };
    const events = byRevision.get(kv.modRevision);
    if (events) events.push(event);
    else byRevision.set(kv.modRevision, [event]);
  }
  return [...byRevision].sort(([a], [b]) => a - b).map(([revision, events]) => ({ revision, events }));
}

function lineOf({ revision, events }: StoreChange): Line {
  const ops = events.map((event) => {
    if (event.type === "delete") return { key: event.key };
    const { key, createRevision, value } = event.kv;
    return { key, createRevision, value: Buffer.from(value).toString("base64") };
  });
  return { revision, ops };
}

/** What a backup contains. */
export interface BackupHead {
  readonly compacted: Revision;
  readonly revision: Revision;
}

/**
 * Passes on the changes of a backup one by one, before the backup is known to be complete. Throws UNREADABLE, at the
 * end or earlier, if it is incomplete or damaged: the caller must then discard what it received. A checksum is no
 * signature, so the form of each line is checked, and with a screen each value. `source` names the backup in messages.
 */
export async function readBackup(
  lines: AsyncIterable<string>,
  source: string,
  take: (change: StoreChange) => void | Promise<void>,
  screen?: Screen,
): Promise<BackupHead> {
  const damaged = (why: string) => new StoreError("UNREADABLE", `${source} is no whole backup: ${why}`);
  let head: BackupHead | undefined;
  let checksum = 0;
  let count = 0;
  let previous = 0;
  let ended = false;
  for await (const text of lines) {
    if (ended) throw damaged("something follows its end");
    const line = parseLine(text);
    if (line === undefined) throw damaged(`line ${count + (head === undefined ? 1 : 2)} cannot be read`);
    if (head === undefined) {
      if (line["egretBackup"] !== FORMAT) throw damaged("it does not begin like one");
      const { compacted, revision } = line;
      if (!isRevision(compacted) || !isRevision(revision) || compacted > revision)
        throw damaged("line 1 cannot be read");
      head = { compacted: toRevision(compacted), revision: toRevision(revision) };
      previous = 0;
    } else if (line["end"] === true) {
      if (line["changes"] !== count || line["crc32"] !== checksum)
        throw damaged("it is not what was written");
      ended = true;
    } else {
      const change = isLine(line, previous, head) ? changeOf(line as unknown as Line) : undefined;
      if (change === undefined) throw damaged(`line ${count + 2} cannot be read`);
      const complaint = screen && complaintOf(change, screen);
      if (complaint !== undefined) throw damaged(`line ${count + 2}: ${complaint}`);
      previous = change.revision;
      const taken = take(change);
      if (taken !== undefined) await taken;
      count++;
    }
    checksum = crc32(`${text}\n`, checksum);
  }
  if (head === undefined || !ended) throw damaged("its end is missing");
  return head;
}

/** Restores a backup with its history and revisions into an empty engine. Throws as readBackup. */
export async function restoreLines(
  lines: AsyncIterable<string>,
  engine: Engine,
  source: string,
  screen?: Screen,
): Promise<Revision> {
  let batch: StoreChange[] = [];
  const flush = async (compacted?: Revision) => {
    await engine.write({ changes: batch, forget: [], compacted });
    batch = [];
  };
  // An engine needs every revision after its compacted one. If some are missing, because they were other processes'
  // writes to a shared etcd, the compacted revision moves to the end of the gap.
  let [last, known] = [0, 0];
  const take = (change: StoreChange) => {
    if (change.revision !== last + 1) known = change.revision - 1;
    last = change.revision;
    batch.push(change);
    return batch.length >= CHANGES_PER_BATCH ? flush() : undefined;
  };
  const { compacted, revision } = await readBackup(lines, source, take, screen);
  if (last < revision) known = revision;
  await flush(toRevision(Math.max(compacted, known)));
  return revision;
}

const isRevision = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0;

/** Limit of the length of a key: longer than that of any object. */
const KEY_CHARACTERS_MAX = 4096;
const NO_SEGMENT = /(^|\/)\.{1,2}(\/|$)/;
const NO_TEXT = /[\p{Cc}\p{Cs}]/u;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const isKey = (key: unknown): key is string =>
  typeof key === "string" &&
  key.startsWith("/") &&
  key.length <= KEY_CHARACTERS_MAX &&
  !NO_SEGMENT.test(key) &&
  !NO_TEXT.test(key);

/**
 * Whether a line is a change: its revision is later than the one before, no key occurs twice, and values are base64.
 */
function isLine({ revision, ops }: Record<string, unknown>, previous: number, head: BackupHead): boolean {
  if (!isRevision(revision) || revision <= previous || revision > head.revision || !Array.isArray(ops))
    return false;
  const keys = new Set<unknown>();
  return ops.every((op: unknown) => {
    if (!isObject(op) || !isKey(op["key"]) || keys.has(op["key"])) return false;
    keys.add(op["key"]);
    const { value, createRevision } = op;
    if (value === undefined) return createRevision === undefined;
    return (
      isRevision(createRevision) &&
      createRevision <= revision &&
      typeof value === "string" &&
      BASE64.test(value)
    );
  });
}

function complaintOf({ events }: StoreChange, screen: Screen): string | undefined {
  for (const event of events) {
    const reason = event.type === "put" ? screen(event.kv, true) : undefined;
    if (reason !== undefined) return `${eventKey(event)}: ${reason}`;
  }
  return undefined;
}

function parseLine(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Engines do not store `prev`; it is computed when they are opened. */
function changeOf({ revision, ops }: Line): StoreChange {
  const events = ops.map(({ key, createRevision = revision, value }): StoreEvent => {
    const kv = { key, value: Buffer.from(value ?? "", "base64"), createRevision, modRevision: revision };
    return value === undefined
      ? { type: "delete", key, revision, prev: kv }
      : { type: "put", kv, prev: undefined };
  });
  return { revision, events };
}
