// The configured store, and the initial content of an empty one. The build bootstraps a server once and packs its
// objects. At a start they are written unchanged, except for new uids and the current time. Objects that hold
// Service addresses are left out where the Service networks differ.

import { readFile } from "node:fs/promises";
import { type Clock, formatTime } from "../apimachinery/meta/clock.ts";
import type { Ids } from "../apimachinery/meta/ids.ts";
import { builtFile } from "../apimachinery/meta/package-files.ts";
import type { Revision } from "../apimachinery/meta/revision.ts";
import type { Log } from "../apiserver/http/log.ts";
import { collectionEnd } from "../apiserver/registry/definition/view.ts";
import type { Profile } from "../controller/emulated-release.ts";
import { createMemoryEngine } from "../storage/engine.ts";
import { openLevelEngine } from "../storage/level/level-engine.ts";
import { openMvccStore } from "../storage/mvcc/mvcc-store.ts";
import { isEmpty, type KeyRange, type KeyValue, type Store, StoreError } from "../storage/store.ts";
import type { Screen } from "../storage/unreadable.ts";
import { StartError } from "./errors.ts";
import { apiAddressOf, DEFAULT_OPTIONS, isRbac, type ServerOptions } from "./options/options.ts";
import { ALL_KINDS, chosenKinds, groupOfDefinition } from "./options/shipped-kinds.ts";
import { historyLimits } from "./options/time-and-chance.ts";
import { storageBackendOf } from "./storage-backend.ts";
import { storedScreen } from "./stored-screen.ts";

/** A key and its value; each byte of the value is one character. */
export type PackedKey = readonly [key: string, value: string];

/** The fixed time of the build's server, which no real object has: it marks timestamps to be replaced. */
export const PACKING_TIME_MS = Date.parse("1970-02-03T04:05:06Z");

/** The revision of a new store. */
const EMPTY_REVISION = 1;

const PACKING_TIME = formatTime(PACKING_TIME_MS);
const UID = /"uid":"([0-9a-f-]{36})"/;

/** Written by scripts/pack-first-state.ts. */
export const packedFirstState = (profile: Profile): string => `first-state-${profile}.json`;

/** Additional objects of a server with RBAC, in every profile. */
export const PACKED_FIRST_POLICY = "first-policy.json";

/** Packs the store of a server that has started at PACKING_TIME_MS. */
export function packState(items: readonly KeyValue[]): readonly PackedKey[] {
  return items.map(({ key, value }) => [key, Buffer.from(value).toString("latin1")]);
}

/**
 * Fills an empty store with the packed objects. Returns false if the store is not empty, no packed objects exist, or
 * the options differ from those of the build.
 */
export async function seedNewStore(
  store: Store,
  options: ServerOptions,
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
  built: (profile: Profile, hasPolicy: boolean) => Promise<readonly PackedKey[] | undefined> = readBuilt,
): Promise<boolean> {
  const isNew = store.revision <= EMPTY_REVISION || storageBackendOf(options).type === "etcd";
  if (!isNew || !isEmpty(store)) return false;
  const packed = await built(options.profile, isRbac(options));
  if (packed === undefined) return false;
  const now = formatTime(clock.now());
  const [packedDay, today] = [PACKING_TIME, now].map((time) => JSON.stringify(time.slice(0, 10)));
  // Each object is a commit of its own; all commits share disk syncs.
  await Promise.all(
    withKinds(withNetwork(packed, options), options.kinds).map(([key, text]) => {
      const dated = text.replaceAll(PACKING_TIME, now).replace(String(packedDay), String(today));
      const value = dated.replace(UID, () => `"uid":"${ids.uid()}"`);
      return createKey(store, key, Buffer.from(value, "latin1"));
    }),
  );
  return true;
}

/** Whether the Service ranges and the API Service are those of the packed state. */
export const hasPackedServices = (options: ServerOptions): boolean =>
  options.serviceClusterIpRange === DEFAULT_OPTIONS.serviceClusterIpRange &&
  apiAddressOf(options) === undefined;

const OF_SERVICES = /\/(?:servicecidrs|ipaddresses|services)\//;

/** Leaves out objects with Service addresses, where the networks differ: the start creates them. */
const withNetwork = (packed: readonly PackedKey[], options: ServerOptions): readonly PackedKey[] =>
  hasPackedServices(options) ? packed : packed.filter(([key]) => !OF_SERVICES.test(key));

const DEFINITION = "/customresourcedefinitions/";
const API_SERVICE = "/apiservices/";

/** Leaves out the definitions that --kinds excludes, and the APIServices of groups without a remaining kind. */
function withKinds(packed: readonly PackedKey[], kinds: string): readonly PackedKey[] {
  if (kinds === ALL_KINDS) return packed;
  const isChosen = chosenKinds(kinds);
  const definitions = packed.flatMap(([key]) => nameBehind(DEFINITION, key) ?? []);
  const kept = new Set(definitions.filter(isChosen).map(groupOfDefinition));
  const dropped = new Set(definitions.map(groupOfDefinition).filter((group) => !kept.has(group)));
  return packed.filter(([key]) => {
    const definition = nameBehind(DEFINITION, key);
    if (definition !== undefined) return isChosen(definition);
    const service = nameBehind(API_SERVICE, key);
    return service === undefined || !dropped.has(service.slice(service.indexOf(".") + 1));
  });
}

function nameBehind(part: string, key: string): string | undefined {
  const at = key.indexOf(part);
  return at < 0 ? undefined : key.slice(at + part.length);
}

/** Creates a key. Another server that starts on the same store may create it first. */
async function createKey(store: Store, key: string, value: Buffer): Promise<void> {
  try {
    await store.commit([{ type: "create", key, value }]);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "KEY_EXISTS") throw error;
  }
}

async function readBuilt(profile: Profile, hasPolicy: boolean): Promise<readonly PackedKey[] | undefined> {
  const names = [packedFirstState(profile), ...(hasPolicy ? [PACKED_FIRST_POLICY] : [])];
  const files = names.map((name) => builtFile(name));
  if (files.includes(undefined)) return undefined;
  const texts = await Promise.all(files.map((file = "") => readFile(file, "latin1")));
  return texts.flatMap((text) => JSON.parse(text));
}

/** Throws StartError. */
export async function openStore(
  options: ServerOptions,
  clock: Clock,
  log: Log,
  screen: Screen = storedScreen(options),
): Promise<Store> {
  const place = storageBackendOf(options);
  const told = {
    onCompacted: (revision: Revision) =>
      log.info({ revision }, "compacted: the past before this revision is forgotten"),
    onDropped: ({ from }: KeyRange) =>
      log.info({ range: from }, "a watch was dropped: it left too much unread"),
  };
  try {
    if (place.type === "etcd") {
      const { openEtcd } = await import("./store-in-etcd.ts");
      return await openEtcd(place.endpoints, options, { clock, log, ...told });
    }
    const engine =
      place.type === "memory"
        ? createMemoryEngine()
        : await openLevelEngine(place.folder, { sync: !options.unsafeNoFsync });
    const history = historyLimits(options.retain);
    const store = await openMvccStore(engine, {
      clock,
      history,
      collectionEnd,
      screen,
      ...told,
    });
    for (const { key, reason } of store.unreadable.all())
      log.error({ key, reason }, "a stored value cannot be read: it is kept and not served; see egret check");
    return store;
  } catch (error) {
    throw error instanceof StoreError ? new StartError(error.message, { cause: error }) : error;
  }
}

/** Logs once that the store can no longer be written; returns the failure from then on. */
export function followFailure(store: Store, log: Log): () => Error | undefined {
  let failure: Error | undefined;
  void store.failed.then((error) => {
    failure = error;
    log.error({ err: error.cause }, error.message);
  });
  return () => failure;
}
