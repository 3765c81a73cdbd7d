// The last step of every write: from an object to a revision of the store.
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Revision } from "../../meta/revision.ts";
import type { KeyValue, Store, TxnOp } from "../../storage/store.ts";
import { StoreError } from "../../storage/store-error.ts";
import type { AdmissionPlugin, DynamicAdmission } from "../admission/admission.ts";
import { encodeStored } from "../codec/object-codec.ts";
import type { ResourceView } from "../resource-definition.ts";
import type { ResourceRegistry } from "../resource-registry.ts";
import type { ObjectResult } from "./write-result.ts";

export interface RegistryDeps {
  readonly store: Store;
  readonly resources: ResourceRegistry;
  readonly admission: readonly AdmissionPlugin[];
  /** Policies and webhooks; left out: there are none. */
  readonly dynamicAdmission?: DynamicAdmission;
}

export interface ObjectAddress {
  readonly view: ResourceView;
  /** "" for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

export interface CommitOptions {
  readonly dryRun: boolean;
  readonly custom: boolean;
  /** What is committed in the same transaction. */
  readonly besides?: readonly TxnOp[];
}

/** Commits a changed object; a change of nothing keeps the stored one and its revision. */
export async function commitObject(
  store: Store,
  live: KeyValue,
  next: KubeObject,
  options: CommitOptions,
): Promise<ObjectResult> {
  const value = encodeStored(next, options.custom);
  const { besides = [] } = options;
  if (besides.length === 0 && Buffer.compare(value, live.value) === 0) return { type: "stored", kv: live };
  if (options.dryRun)
    return {
      type: "bare",
      object: { ...next, metadata: { ...next.metadata, resourceVersion: String(live.modRevision) } },
    };
  const revision = await commitOne(
    store,
    { type: "update", key: live.key, value, ifModRevision: live.modRevision },
    besides,
  );
  return { type: "stored", kv: readBack(store, live.key, revision) };
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
