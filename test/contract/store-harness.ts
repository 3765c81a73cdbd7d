// Ways to open a store, and helpers for store tests.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toRevision } from "../../src/apimachinery/meta/revision.ts";
import { createMemoryEngine, type Engine } from "../../src/storage/engine.ts";
import { EtcdClient } from "../../src/storage/etcd/etcd-client.ts";
import { openEtcdStore } from "../../src/storage/etcd/etcd-store.ts";
import type { EtcdStoreOptions } from "../../src/storage/etcd/etcd-store-options.ts";
import { PLAIN_LAYOUT } from "../../src/storage/etcd/plain-layout.ts";
import { openLevelEngine } from "../../src/storage/level/level-engine.ts";
import { openMvccStore, type StoreOptions } from "../../src/storage/mvcc/mvcc-store.ts";
import type { KeyValue, Store, StoreChange, StoreEvent, StoreWatch, TxnOp } from "../../src/storage/store.ts";
import { DEFAULT_UNREAD_LIMITS } from "../../src/storage/watch/watcher.ts";
import { Etcd } from "../support/etcd.ts";
import { Relay } from "../support/sockets/relay.ts";
import { ManualClock } from "../unit/storage/manual-clock.ts";

/** The data of a store: opening it again, after the store was closed, returns what was written. */
export interface StorageBackend extends AsyncDisposable {
  open(options?: Partial<StoreOptions>): Promise<Store>;
}

export async function memoryPlace(): Promise<StorageBackend> {
  const engine = createMemoryEngine();
  return placeOn(
    async () => engine,
    async () => {},
  );
}

export async function levelPlace(): Promise<StorageBackend> {
  const folder = await temporaryFolder();
  return placeOn(
    () => openLevelEngine(folder),
    () => removeFolder(folder),
  );
}

/** Every step calls the failpoint hook, which yields and lets the store continue. */
export async function levelPlaceWithFailpoints(): Promise<StorageBackend> {
  const place = await levelPlace();
  return {
    open: (options) => place.open({ failpoints: () => Promise.resolve(), ...options }),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

export interface EtcdPlace extends StorageBackend {
  open(
    options?: Partial<StoreOptions> &
      Partial<Pick<EtcdStoreOptions, "ttlSeconds" | "layout" | "onUnreadable">>,
  ): Promise<Store>;
  /** Cuts the store's connection to etcd. */
  cut(store: Store): void;
  mend(store: Store): void;
  readonly etcd: Etcd;
}

/** A new and empty etcd; each store has its own connection to it. */
export async function etcdPlace(): Promise<EtcdPlace> {
  const etcd = await Etcd.start();
  const ways = new Map<Store, Relay>();
  return {
    etcd,
    async open(options = {}) {
      const {
        watchUnreadChangesMax = DEFAULT_UNREAD_LIMITS.changesMax,
        watchUnreadBytesMax = DEFAULT_UNREAD_LIMITS.bytesMax,
      } = options;
      const way = await Relay.to(etcd.endpoint);
      const store = await openEtcdStore({
        client: new EtcdClient({ endpoints: [way.endpoint] }),
        layout: options.layout ?? PLAIN_LAYOUT,
        onUnreadable:
          options.onUnreadable ??
          ((error) => {
            throw error;
          }),
        onTrouble: () => {},
        clock: options.clock ?? new ManualClock(),
        ...(options.ttlSeconds && { ttlSeconds: options.ttlSeconds }),
        ...(options.history && { history: options.history }),
        ...{ onCompacted: options.onCompacted, onDropped: options.onDropped },
        unread: { changesMax: watchUnreadChangesMax, bytesMax: watchUnreadBytesMax },
      });
      ways.set(store, way);
      return store;
    },
    cut: (store) => ways.get(store)?.cut(),
    mend: (store) => ways.get(store)?.mend(),
    async [Symbol.asyncDispose]() {
      for (const [store, way] of ways) {
        await store[Symbol.asyncDispose]();
        await way[Symbol.asyncDispose]();
      }
      await etcd.stop();
    },
  };
}

function placeOn(openEngine: () => Promise<Engine>, remove: () => Promise<void>): StorageBackend {
  const opened: Store[] = [];
  return {
    async open(options) {
      const store = await openMvccStore(await openEngine(), { clock: new ManualClock(), ...options });
      opened.push(store);
      return store;
    },
    async [Symbol.asyncDispose]() {
      for (const store of opened) await store[Symbol.asyncDispose]();
      await remove();
    },
  };
}

export function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "egret-store-"));
}

export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

export function create(key: string, text = ""): TxnOp {
  return { type: "create", key, value: Buffer.from(text) };
}

export function update(key: string, text: string, ifModRevision: number): TxnOp {
  return { type: "update", key, value: Buffer.from(text), ifModRevision: toRevision(ifModRevision) };
}

export function remove(key: string, ifModRevision: number): TxnOp {
  return { type: "delete", key, ifModRevision: toRevision(ifModRevision) };
}

/** "key=text@createRevision/modRevision" */
export function show(kv: KeyValue | undefined): string {
  if (kv === undefined) return "-";
  return `${kv.key}=${Buffer.from(kv.value).toString()}@${kv.createRevision}/${kv.modRevision}`;
}

/** "5: put … (was …), delete key (was …)" */
export function showChange({ revision, events }: StoreChange): string {
  return `${revision}: ${events.map(showEvent).join(", ")}`;
}

export function showEvent(event: StoreEvent): string {
  return event.type === "put"
    ? `put ${show(event.kv)} (was ${show(event.prev)})`
    : `delete ${event.key} at ${event.revision} (was ${show(event.prev)})`;
}

/** The pending changes of the watch; must not be empty. */
export async function showNext(watch: StoreWatch): Promise<string[] | undefined> {
  return (await watch.next())?.map(showChange);
}

/** The error's code, or the result if there was no error. */
export async function codeOf(run: () => unknown): Promise<unknown> {
  try {
    await run();
    return "no error";
  } catch (error) {
    return error instanceof Error && "code" in error ? error.code : error;
  }
}
