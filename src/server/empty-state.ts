// What a server holds that nobody has given anything to, for a store that was used before this process: another one is
// furnished in memory. What is in the present store under the same name keeps its identity.
import { type SavedState, stateOf } from "../control/state/state-keeper.ts";
import { decodeStored, encodeStored, memberOrder, uidOf } from "../registry/codec/object-codec.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";
import { createMemoryEngine } from "../storage/engine.ts";
import { openMvccStore } from "../storage/mvcc/mvcc-store.ts";
import type { KeyValue, Store } from "../storage/store.ts";
import { type CoreOptions, openApiCore } from "./api-core.ts";

/** Takes about as long as a start in memory. Throws what a start throws. */
export async function makeEmptyState(present: Store, given: CoreOptions): Promise<SavedState> {
  const options = { ...given.options, inMemory: true };
  await using store = await openMvccStore(createMemoryEngine(), { clock: given.clock });
  const core = openApiCore(store, { ...given, options });
  try {
    await core.furnish();
    await core.settled();
    const state = stateOf(store, given.clock);
    const items = [...state.items].map(
      ([key, kv]) => [key, sameObject(kv, present.get(key), core.registry)] as const,
    );
    return { ...state, items: new Map(items) };
  } finally {
    await core.close();
  }
}

/** Its identity is its uid and when it was created. What differs in times alone is as it was made then. */
function sameObject(kv: KeyValue, live: KeyValue | undefined, registry: ResourceRegistry): KeyValue {
  if (live === undefined || uidOf(kv) === undefined || uidOf(live) === undefined) return kv;
  const { uid, creationTimestamp } = decodeStored(live).metadata;
  const object = decodeStored(kv);
  const metadata = {
    ...object.metadata,
    ...(uid ? { uid } : {}),
    ...(creationTimestamp ? { creationTimestamp } : {}),
  };
  const view = registry.findByKind(object.apiVersion ?? "", object.kind ?? "");
  const value = encodeStored({ ...object, metadata }, view && memberOrder(view));
  return withoutTimes(value) === withoutTimes(live.value) ? { ...kv, value: live.value } : { ...kv, value };
}

const TIMES = /"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/g;

const withoutTimes = (value: Uint8Array): string =>
  Buffer.from(value).toString("latin1").replace(TIMES, '""');
