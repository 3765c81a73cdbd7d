// Base state of a write where other processes share the store: the local state, which may lag behind. As in a
// kube-apiserver (GuaranteedUpdate) it is a suggestion, so that no write has to query the store first. A commit carries
// the expected revision. A write that ends without a commit is verified against the newest state.
import { StatusError } from "../../../apimachinery/meta/status.ts";
import { type Freshness, type KeyValue, type KeyValueReader, StoreError } from "../../../storage/store.ts";
import type { RequestContext } from "../definition/request-context.ts";
import type { RegistryDeps } from "../resource-registry.ts";
import { toStatusError } from "../resource-version.ts";

type Attempt<T> = () => Promise<T>;

/**
 * Runs a write on the local state. A rejection is final when the local state was the newest at that time; otherwise the
 * write runs once more, on the newest. A dry run has no commit that could detect a stale state, and runs on the newest at
 * once.
 */
export function onSuggestedState<T>(
  { store }: Pick<RegistryDeps, "store">,
  { dryRun }: Pick<RequestContext, "dryRun">,
  attempt: Attempt<T>,
): Promise<T> {
  if (!store.isShared) return attempt();
  return dryRun ? onNewest(store, attempt) : suggestedFirst(store, attempt);
}

async function onNewest<T>(store: Freshness & KeyValueReader, attempt: Attempt<T>): Promise<T> {
  await newestState(store);
  return attempt();
}

async function suggestedFirst<T>(store: Freshness & KeyValueReader, attempt: Attempt<T>): Promise<T> {
  const { revision } = store;
  try {
    return await attempt();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await newestState(store);
    if (store.revision === revision) throw error;
  }
  return attempt();
}

/** Reports a rejection of the write. For all other errors it is unknown whether the write was committed. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof StatusError && error.code >= 400 && error.code < 500;

/**
 * Resolves when the local state includes everything that any server has acknowledged before; undefined where it always
 * does. Rejects with a StatusError.
 */
export function newestState(store: Freshness & KeyValueReader): Promise<void> | undefined {
  return store.caughtUp()?.catch((error: unknown) => {
    throw toStatusError(error, { group: "", resource: "" }, "");
  });
}

/** Rejects with REVISION_MISMATCH where another process changed or removed the object before the call. */
export async function demandNewest(
  store: Freshness & KeyValueReader,
  { key, modRevision }: KeyValue,
): Promise<void> {
  if (!store.isShared) return;
  await store.caughtUp();
  if (store.get(key)?.modRevision !== modRevision)
    throw new StoreError("REVISION_MISMATCH", `${key} is no longer at revision ${modRevision}`);
}
