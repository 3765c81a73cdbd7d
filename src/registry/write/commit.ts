// The last step of every write: from an object to a revision of the store.

import type { MemberOrder } from "../../meta/json/member-order.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Revision } from "../../meta/revision.ts";
import type { KeyValue, Store, TxnOp } from "../../storage/store.ts";
import { StoreError } from "../../storage/store-error.ts";
import { encodeStored, encodeStoredInTurns, type MemberTexts } from "../codec/object-codec.ts";
import type { ObjectResult } from "../codec/versions.ts";
import type { RegistryDeps } from "../registry-deps.ts";
import { fitInTurns, fitStored } from "./size-limit.ts";

export interface CommitOptions {
  readonly dryRun: boolean;
  /** Of the stored form, see memberOrder. */
  readonly order: MemberOrder | undefined;
  /** An apply keeps managedFields however large the object is. */
  readonly keepsManagers?: boolean | undefined;
  /** It is encoded in turns. */
  readonly isLarge?: boolean | undefined;
  /** What is committed in the same transaction. */
  readonly besides?: readonly TxnOp[] | undefined;
}

/**
 * Commits a changed object; a change of nothing keeps the stored one and its revision. What is too large as a whole is
 * stored without managedFields, or throws 500.
 */
export async function commitObject(
  {
    store,
    messageLength,
    requestBytesMax,
  }: Pick<RegistryDeps, "store" | "messageLength" | "requestBytesMax">,
  live: KeyValue,
  next: KubeObject,
  { dryRun, order, keepsManagers = false, isLarge = false, besides = [] }: CommitOptions,
): Promise<ObjectResult> {
  const texts: MemberTexts = new Map();
  const encoded = isLarge ? await encodeStoredInTurns(next, order, texts) : encodeStored(next, order);
  if (besides.length === 0 && Buffer.compare(encoded, live.value) === 0) return { type: "stored", kv: live };
  const { key, modRevision } = live;
  if (dryRun)
    return {
      type: "bare",
      object: { ...next, metadata: { ...next.metadata, resourceVersion: String(modRevision) } },
    };
  const fitting = { key, order, revision: modRevision, messageLength, requestBytesMax, keepsManagers };
  const value = isLarge ? await fitInTurns(next, fitting, texts) : fitStored(next, encoded, fitting);
  const revision = await commitOne(
    store,
    { type: "update", key, value, ifModRevision: modRevision },
    besides,
  );
  return { type: "stored", kv: readBack(store, key, revision) };
}

/** Commits one change of an object, and what has to go with it. */
export function commitOne(store: Store, op: TxnOp, besides: readonly TxnOp[] = []): Promise<Revision> {
  return store.commit([op, ...besides]);
}

/** What was just committed, even if somebody has changed it again since. */
export function readBack(store: Store, key: string, revision: Revision): KeyValue {
  const kv = store.get(key, revision);
  if (kv === undefined)
    throw new StoreError("UNREADABLE", `${key} is not there at the revision ${revision} that wrote it`);
  return kv;
}

/** Somebody else was faster, with the object or, KEY_EXISTS, with something that an existing object was to get. */
export function lostRace(error: unknown): boolean {
  return error instanceof StoreError && (error.code === "REVISION_MISMATCH" || error.code === "KEY_EXISTS");
}
