// What a write is worked out from, where other processes write as well: the state that can be read here, which may be older
// than theirs. As a kube-apiserver does it (GuaranteedUpdate), it is taken as a suggestion, so that nobody has to be asked
// first: a commit names the revision that it expects, and what comes of a write without a commit is made sure of.
import { StatusError } from "../../meta/status.ts";
import { type KeyValue, type Store, StoreError } from "../../storage/store.ts";
import type { RequestContext } from "../definition/request-context.ts";
import type { RegistryDeps } from "../resource-registry.ts";
import { toStatusError } from "../resource-version.ts";

type Attempt<T> = (isLast: boolean) => Promise<T>;

/**
 * Runs a write on what can be read here. A refusal stands when nothing newer was there at that time; otherwise the write
 * runs once more, on that. What is not to be written has nothing that could fail later, and runs on the newest at once.
 */
export function onSuggestedState<T>(
  { store }: Pick<RegistryDeps, "store">,
  { dryRun }: Pick<RequestContext, "dryRun">,
  attempt: Attempt<T>,
): Promise<T> {
  if (!store.isShared) return attempt(true);
  return dryRun ? onNewest(store, attempt) : suggestedFirst(store, attempt);
}

async function onNewest<T>(store: Store, attempt: Attempt<T>): Promise<T> {
  await newestState(store);
  return attempt(true);
}

async function suggestedFirst<T>(store: Store, attempt: Attempt<T>): Promise<T> {
  const { revision } = store;
  try {
    return await attempt(false);
  } catch (error) {
    // Of anything but a refusal nobody knows whether it was written.
    if (!(error instanceof StatusError && isRefusal(error))) throw error;
    await newestState(store);
    if (store.revision === revision) throw error;
  }
  return attempt(true);
}

const isRefusal = ({ code }: StatusError): boolean => code >= 400 && code < 500;

/**
 * Resolves when all that anybody was answered before can be read here; undefined where it can be at any time. Rejects with a
 * StatusError.
 */
export function newestState(store: Store): Promise<void> | undefined {
  return store.caughtUp()?.catch((error: unknown) => {
    throw toStatusError(error, { group: "", resource: "" }, "");
  });
}

/** Rejects with REVISION_MISMATCH where others have changed the object, or removed it, before the call. */
export async function demandNewest(store: Store, { key, modRevision }: KeyValue): Promise<void> {
  if (!store.isShared) return;
  await store.caughtUp();
  if (store.get(key)?.modRevision !== modRevision)
    throw new StoreError("REVISION_MISMATCH", `${key} is no longer at revision ${modRevision}`);
}
