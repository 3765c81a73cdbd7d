// What the store shows of values in etcd: the layout decodes them, and unreadable ones are recorded.
import { toRevision } from "../../apimachinery/meta/revision.ts";
import { LayoutError, type StorageLayout } from "../layout.ts";
import type { MvccState } from "../mvcc/mvcc-state.ts";
import { type KeyValue, prefixRange, type StoreEvent } from "../store.ts";
import type { StoreMetrics } from "../store-metrics.ts";
import type { UnreadableValues } from "../unreadable.ts";
import type { EtcdEvent, EtcdKeyValue } from "./messages.ts";

/** How values are decoded, and which ones cannot be. */
export interface Reading {
  readonly layout: StorageLayout;
  readonly unreadable: UnreadableValues;
  readonly metrics: StoreMetrics;
}

/**
 * Returns what the store shows of an etcd key. Undefined for a key that is not the store's, and for an unreadable
 * value, which is recorded by its key.
 */
export function keptKey(
  { layout, unreadable, metrics }: Reading,
  { key: keyInEtcd, value, createRevision, modRevision }: EtcdKeyValue,
): KeyValue | undefined {
  const key = layout.toEgretKey(keyInEtcd);
  if (key === undefined) return undefined;
  const revisions = { createRevision: toRevision(createRevision), modRevision: toRevision(modRevision) };
  try {
    const decoded = layout.decode(keyInEtcd, value);
    unreadable.delete(key);
    const kv = { key, value: decoded.value, ...revisions };
    return decoded.isStale ? { ...kv, isStale: true } : kv;
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    metrics.of(key).unreadable++;
    unreadable.note({ key, modRevision: revisions.modRevision, reason: error.message, error });
    return undefined;
  }
}

/** The keys of the store in a shared value. An unreadable value is recorded and yields none. */
export function claimedKeys({ layout, unreadable, metrics }: Reading, kv: EtcdKeyValue): KeyValue[] {
  const { claims } = layout;
  if (claims?.etcdKey !== kv.key) return [];
  try {
    const keys = claims.read(kv.value);
    unreadable.delete(kv.key);
    const revision = toRevision(kv.modRevision);
    const value = Buffer.alloc(0);
    return keys.map((key) => ({ key, value, createRevision: revision, modRevision: revision }));
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    metrics.of(kv.key).unreadable++;
    unreadable.note({ key: kv.key, modRevision: toRevision(kv.modRevision), reason: error.message, error });
    return [];
  }
}

/** Translates a change of the shared value to events of its keys. */
export function claimEvents(reading: Reading, { isDelete, kv }: EtcdEvent, state: MvccState): StoreEvent[] {
  const { claims } = reading.layout;
  if (claims === undefined) return [];
  reading.metrics.of(kv.key).received++;
  const now = new Map((isDelete ? [] : claimedKeys(reading, kv)).map((one) => [one.key, one]));
  const events: StoreEvent[] = [];
  for (const prev of state.list(prefixRange(claims.prefix)).items) {
    if (!claims.has(prev.key) || now.delete(prev.key)) continue;
    events.push({ type: "delete", key: prev.key, revision: toRevision(kv.modRevision), prev });
  }
  for (const one of now.values()) events.push({ type: "put", kv: one, prev: undefined });
  return events;
}
