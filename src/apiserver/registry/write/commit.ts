// Last step of a write: encodes the object and commits it as a store revision, within etcd's size limits. Etcd holds
// built-in kinds as protobuf, but custom resources, definitions and APIServices as JSON. Its transaction also carries the
// key and the expected revision. The computed size is an approximation, because the revision here differs from that of
// another store.
import type { MemberOrder } from "../../../apimachinery/json/json-encode.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import type { Revision } from "../../../apimachinery/meta/revision.ts";
import {
  RECEIVED_BYTES_MORE,
  REQUEST_BYTES_MAX,
  requestTooLarge,
  SENT_BYTES_MAX,
  type StatusError,
  tooLargeToReceive,
  tooLargeToSend,
} from "../../../apimachinery/meta/status.ts";
import { ownTurn } from "../../../apimachinery/scheduling/event-loop.ts";
import { type KeyValue, StoreError, type TxnOp } from "../../../storage/store.ts";
import { atRevision, encodeStored, encodeStoredInTurns, type MemberTexts } from "../codec/object-codec.ts";
import { noteManagers } from "../codec/stored-managers.ts";
import type { ObjectResult } from "../codec/versions.ts";
import type { RequestContext } from "../definition/request-context.ts";
import type { ResourceView } from "../definition/resource-definition.ts";
import { strategyOf } from "../definition/view.ts";
import type { RegistryDeps } from "../resource-registry.ts";
import { WriteClaims } from "./prepare.ts";
import { demandNewest } from "./suggested-state.ts";

type CommitDeps = Pick<RegistryDeps, "store" | "over" | "fencingToken" | "messageLength" | "requestBytesMax">;

export interface CommitOptions {
  readonly dryRun: boolean;
  /** Member order of the stored form, see memberOrder. */
  readonly order: MemberOrder | undefined;
  /** An apply keeps managedFields whatever the size of the object. */
  readonly keepsManagers?: boolean | undefined;
  /** The encoder yields to the event loop. */
  readonly isLarge?: boolean | undefined;
  /** Further operations of the same transaction. */
  readonly besides?: readonly TxnOp[] | undefined;
  /** An update without changes gets a revision, too. */
  readonly writesUnchanged?: boolean | undefined;
}

/**
 * Commits a changed object. An update without changes keeps the stored value and its revision, unless the stored form is
 * stale. An object over the limit is stored without managedFields, or throws 500.
 */
export async function commitObject(
  deps: CommitDeps,
  live: KeyValue,
  next: KubeObject,
  {
    dryRun,
    order,
    keepsManagers = false,
    isLarge = false,
    besides = [],
    writesUnchanged = false,
  }: CommitOptions,
): Promise<ObjectResult> {
  const texts: MemberTexts = new Map();
  const encoded = isLarge ? await encodeStoredInTurns(next, order, texts) : encodeStored(next, order);
  const mayStay = besides.length === 0 && !writesUnchanged && live.isStale !== true;
  if (mayStay && Buffer.compare(encoded, live.value) === 0) {
    await demandNewest(deps.store, live);
    return { type: "stored", kv: live };
  }
  const { key, modRevision } = live;
  if (dryRun) return { type: "bare", object: atRevision(next, modRevision) };
  const fitting = { ...deps, key, order, revision: modRevision, keepsManagers };
  if (isLarge) refuseHopeless(next, fitting);
  const fitted = fitStored(next, encoded, fitting, texts);
  const value = fitted instanceof Promise ? await fitted : fitted;
  const op = { type: "update", key, value, ifModRevision: modRevision } as const;
  const result = await commitValue(deps, op, besides);
  if (result.type === "stored") noteManagers(result.kv, next.metadata.managedFields);
  return result;
}

/** Commits a new object. Throws 500 for one over the size limit. */
export async function commitNew(
  deps: CommitDeps,
  key: string,
  object: KubeObject,
  {
    order,
    keepsManagers = false,
    isLarge = false,
    besides,
  }: Omit<CommitOptions, "dryRun" | "writesUnchanged">,
): Promise<ObjectResult> {
  const texts: MemberTexts = new Map();
  const fitting = { ...deps, key, order, revision: undefined, keepsManagers };
  if (isLarge) refuseHopeless(object, fitting);
  const encoded = isLarge ? await encodeStoredInTurns(object, order, texts) : encodeStored(object, order);
  const fitted = fitStored(object, encoded, fitting, texts);
  const value = fitted instanceof Promise ? await fitted : fitted;
  return commitValue(deps, { type: "create", key, value }, besides);
}

/** Reads the value at the committed revision, so that a concurrent later change does not show. */
async function commitValue(deps: CommitDeps, op: TxnOp, besides?: readonly TxnOp[]): Promise<ObjectResult> {
  const revision = await commitOne(deps, op, besides);
  const kv = deps.store.get(op.key, revision);
  if (kv !== undefined) return { type: "stored", kv };
  throw new StoreError("UNREADABLE", `${op.key} is not there at the revision ${revision} that wrote it`);
}

/** Commits one operation on an object, with the further ones of its transaction. */
async function commitOne(
  { store, over, fencingToken }: Pick<CommitDeps, "store" | "over" | "fencingToken">,
  op: TxnOp,
  besides: readonly TxnOp[] = [],
): Promise<Revision> {
  over?.throwIfAborted();
  return store.commit([op, ...besides], fencingToken?.());
}

/** Removes a stored object and releases its allocations, which the strategy reads from `object`. */
export function commitRemoval(
  deps: Pick<CommitDeps, "store" | "over" | "fencingToken">,
  view: ResourceView,
  { key, modRevision }: KeyValue,
  object: Readonly<KubeObject>,
  context: RequestContext,
): Promise<Revision> {
  const { release } = strategyOf(view);
  const claims = release && new WriteClaims(deps.store, context);
  if (claims) release?.(object, claims);
  return commitOne(deps, { type: "delete", key, ifModRevision: modRevision }, claims?.ops);
}

/**
 * Reports a conflict with a concurrent write: the object has another revision, or (KEY_EXISTS) a key to be created
 * exists.
 */
export function lostRace(error: unknown): boolean {
  return error instanceof StoreError && (error.code === "REVISION_MISMATCH" || error.code === "KEY_EXISTS");
}

/** Upper bound of the size of either form, as a multiple of the stored JSON. */
const GROWTH_MAX = 6;
/** Groups of apiextensions-apiserver and kube-aggregator, which run inside of a kube-apiserver. They have no protobuf. */
const STORED_AS_JSON = /^(?:apiextensions\.k8s\.io|apiregistration\.k8s\.io)\//;
/** Head of an etcd log entry in bytes: its id, and the field of the transaction. */
const ENTRY_BYTES = 17;

export interface Fitting extends Pick<RegistryDeps, "messageLength" | "requestBytesMax"> {
  readonly key: string;
  /** Member order of the stored form, see memberOrder; custom resources have none. */
  readonly order: MemberOrder | undefined;
  /** Expected revision; undefined for a new key. */
  readonly revision: number | undefined;
  /** managedFields are kept, as in an apply. Other writes drop them rather than fail. */
  readonly keepsManagers: boolean;
}

/**
 * Returns the stored form, or the one without managedFields where only that fits. `texts` are members that are already
 * encoded. Throws etcd's 500 where neither fits.
 */
export function fitStored(
  object: Readonly<KubeObject>,
  stored: Buffer,
  fitting: Fitting,
  texts: MemberTexts = new Map(),
): Buffer | Promise<Buffer> {
  const error = refusalOf(object, stored, fitting);
  if (error === undefined) return stored;
  const { managedFields, ...metadata } = object.metadata;
  if (fitting.keepsManagers || managedFields === undefined) throw error;
  const lighter = { ...object, metadata };
  return ownTurn()
    .then(() => encodeStoredInTurns(lighter, fitting.order, texts))
    .then((encoded) => fitStored(lighter, encoded, fitting));
}

/**
 * Rejects a large object that exceeds the limit without its managedFields, before those are encoded. They can be as large
 * again. Throws as fitStored.
 */
function refuseHopeless(object: Readonly<KubeObject>, fitting: Fitting): void {
  const { managedFields: _, ...metadata } = object.metadata;
  const bytes = messageBytes(fitting.keepsManagers ? object : { ...object, metadata }, fitting);
  const error = bytes === undefined ? undefined : refusalOfBytes(bytes, fitting);
  if (error !== undefined) throw error;
}

function refusalOf(object: Readonly<KubeObject>, value: Buffer, fitting: Fitting): StatusError | undefined {
  const { requestBytesMax = REQUEST_BYTES_MAX } = fitting;
  if (value.length * GROWTH_MAX <= Math.min(requestBytesMax, SENT_BYTES_MAX)) return undefined;
  return refusalOfBytes(messageBytes(object, fitting) ?? value.length, fitting);
}

function refusalOfBytes(valueBytes: number, fitting: Fitting): StatusError | undefined {
  const { requestBytesMax = REQUEST_BYTES_MAX } = fitting;
  const bytes = transactionBytes(valueBytes, fitting);
  if (bytes > SENT_BYTES_MAX) return tooLargeToSend(bytes);
  if (bytes > requestBytesMax + RECEIVED_BYTES_MORE) return tooLargeToReceive(bytes, requestBytesMax);
  return bytes + ENTRY_BYTES > requestBytesMax ? requestTooLarge() : undefined;
}

/** undefined for kinds that are stored as JSON. */
function messageBytes(object: Readonly<KubeObject>, { order, messageLength }: Fitting): number | undefined {
  const isJson = order === undefined || STORED_AS_JSON.test(object.apiVersion ?? "");
  return isJson ? undefined : messageLength?.(object);
}

/** Size of etcd's TxnRequest: a comparison, a put, and for an update a get for the case that the comparison fails. */
function transactionBytes(valueBytes: number, { key, revision }: Fitting): number {
  const named = field(Buffer.byteLength(key));
  const comparison = field(2 + named + 1 + varint(revision ?? 0));
  const put = field(field(named + field(valueBytes)));
  const otherwise = revision === undefined ? 0 : field(field(named));
  return comparison + put + otherwise;
}

/** Size of a protobuf field of so many bytes, with its tag and length. */
const field = (bytes: number): number => 1 + varint(bytes) + bytes;

function varint(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 128; rest /= 128) bytes++;
  return bytes;
}
