// DELETE, with the decisions of upstream. Kinds with a grace period (pods) are marked first and removed later. Finalizers
// hold objects of every kind.
//
//   nothing holds it                → remove
//   finalizers, or a grace period   → keep, marked with the time of its removal
//   a grace period of no seconds    → pass: it is marked in one revision and removed in the next
//   its removal is scheduled        → wait, unless the new grace period is shorter

import { cloneJson, lookupTable } from "../../../apimachinery/json/json.ts";
import { formatTime } from "../../../apimachinery/meta/clock.ts";
import { type FieldError, invalid, notSupported } from "../../../apimachinery/meta/field-error.ts";
import { append } from "../../../apimachinery/meta/lists.ts";
import { type KubeObject, nextGeneration } from "../../../apimachinery/meta/object-meta.ts";
import { conflict, invalidObject } from "../../../apimachinery/meta/status.ts";
import type { KeyValue } from "../../../storage/store.ts";
import { admit, admitFinal } from "../admission.ts";
import { atRevision } from "../codec/object-codec.ts";
import {
  convertAnew,
  decodeInVersion,
  decodeToStore,
  type ObjectResult,
  readInVersion,
  readyToShow,
  storedOrder,
  toStoredForm,
} from "../codec/versions.ts";
import { type DeleteOptions, dryRunErrors, type RequestContext } from "../definition/request-context.ts";
import type {
  ObjectAddress,
  ResourceDefinition,
  ResourceView,
  Strategy,
} from "../definition/resource-definition.ts";
import { objectKey, strategyOf } from "../definition/view.ts";
import { absent } from "../read/absent.ts";
import type { RegistryDeps } from "../resource-registry.ts";
import { startOver } from "./change.ts";
import { commitObject, commitRemoval } from "./commit.ts";
import { demandNewest, onSuggestedState } from "./suggested-state.ts";

export type DeleteResult =
  /** The last state, with the revision of the deletion. */
  | { readonly type: "deleted"; readonly last: Readonly<KubeObject> }
  /** Finalizers or a grace period hold the object: it is marked and still stored. */
  | { readonly type: "marked"; readonly result: ObjectResult };

interface Found {
  readonly kv: KeyValue;
  /** In the form of the storage version; where a webhook converts, in the version of the request. */
  readonly live: Readonly<KubeObject>;
}

async function readToDelete(view: ResourceView, kv: KeyValue): Promise<Readonly<KubeObject>> {
  return view.definition.converter ? readInVersion(view, kv) : decodeToStore(view, kv);
}

/**
 * Admission of a deletion. "object": a DELETE of the object. "collection": a DELETE of the collection, without the name
 * and with the options as sent. "none": the request was admitted in another form (an Eviction).
 */
type DeleteAdmission = "object" | "collection" | "none";

/** Deletes an object, or marks it for deletion when finalizers hold it. Rejects with a StatusError. */
export function deleteObject(
  deps: RegistryDeps,
  address: ObjectAddress,
  options: DeleteOptions,
  context: RequestContext,
  admission: DeleteAdmission = "object",
): Promise<DeleteResult> {
  const deletion = { address, sent: options, options, context, admission };
  return onSuggestedState(deps, context, () => tryToDelete(deps, deletion));
}

interface Deletion {
  readonly address: ObjectAddress;
  /** Options of the request. */
  readonly sent: DeleteOptions;
  /** Options with the server's defaults. */
  readonly options: DeleteOptions;
  readonly context: RequestContext;
  readonly admission: DeleteAdmission;
}

async function tryToDelete(deps: RegistryDeps, asked: Deletion): Promise<DeleteResult> {
  const { address, context } = asked;
  const { view, namespace, name } = address;
  let deletion: Deletion | undefined;
  let marked: Readonly<KubeObject> | undefined;
  for (;;) {
    const kv = deps.store.get(objectKey(view.definition, namespace, name));
    // A concurrent DELETE removed the object between the two revisions of this deletion, which is the desired result.
    if (kv === undefined && marked !== undefined) return { type: "deleted", last: marked };
    if (kv === undefined) throw absent(deps.store, address);
    const found = { kv, live: await readToDelete(view, kv) };
    // Defaults of the first attempt apply to all further attempts.
    deletion ??= { ...asked, options: effectiveOptions(strategyOf(view), found.live, asked.sent) };
    if (marked === undefined) checkPreconditions(view.definition, found.live, deletion.options.preconditions);
    try {
      const done = await deleteOnce(deps, deletion, found);
      if (done.type !== "passed") return done;
      if (context.dryRun) return { type: "deleted", last: done.next };
      marked = done.next;
    } catch (error) {
      startOver(error, address);
    }
  }
}

/**
 * Runs admission once, with the object as stored. A kube-apiserver runs it in each transaction that changes or removes
 * the object (registry/generic/registry/store.go): when it is marked, and again when it is removed.
 */
async function admitDelete(
  deps: RegistryDeps,
  { address: { view, namespace, name }, options, sent, context, admission }: Deletion,
  { kv, live }: Found,
): Promise<void> {
  if (admission === "none") return;
  // Without a conversion webhook, dynamic admission sees the object in the version of the request.
  const isShown = view.definition.converter !== undefined || !deps.dynamicAdmission;
  const oldObject = isShown ? live : decodeInVersion(view, kv);
  const isCollection = admission === "collection";
  const about = { view, subresource: "", namespace, object: undefined, oldObject, context };
  const attributes = {
    operation: "DELETE",
    ...about,
    name: isCollection ? "" : name,
    deleteOptions: isCollection ? sent : options,
  } as const;
  await admit(deps, attributes);
  await admitFinal(deps, attributes);
}

/** Options with a kube-apiserver's defaults, which are set before admission: grace period, and the uid for some kinds. */
function effectiveOptions(
  strategy: Strategy,
  live: Readonly<KubeObject>,
  options: DeleteOptions,
): DeleteOptions {
  const asked = askedGracePeriod(options);
  const { uid, deletionTimestamp } = live.metadata;
  const isMarked = deletionTimestamp !== undefined;
  const seconds = isMarked ? asked : (strategy.gracePeriodSeconds?.(live, asked) ?? asked);
  return {
    ...options,
    ...(seconds === undefined ? {} : { gracePeriodSeconds: seconds }),
    ...(strategy.deletesByUid && uid ? { preconditions: { uid, ...options.preconditions } } : {}),
  };
}

/** "passed": the object has been marked, and is removed in the next attempt. */
async function deleteOnce(
  deps: RegistryDeps,
  deletion: Deletion,
  found: Found,
): Promise<DeleteResult | { readonly type: "passed"; readonly next: KubeObject }> {
  const { address, options, context } = deletion;
  const { view } = address;
  const { kv, live } = found;
  const step = deletionStep(strategyOf(view), live, options, context);
  if (step.type === "wait") {
    await demandNewest(deps.store, kv);
    return { type: "marked", result: { type: "stored", kv } };
  }
  // A dry run converts the object once more, where a real deletion converts the removed value.
  if (context.dryRun) await convertAnew(view, kv);
  await admitDelete(deps, deletion, found);
  if (step.type === "remove") {
    if (context.dryRun) return { type: "deleted", last: live };
    // Finalizers that the request removes are removed in a transaction of its own.
    if ((live.metadata.finalizers ?? []).length > 0) await admitDelete(deps, deletion, found);
    const revision = await commitRemoval(deps, view, kv, live, context);
    return { type: "deleted", last: atRevision(live, revision) };
  }
  const how = { dryRun: context.dryRun, order: storedOrder(view.definition) };
  const { converter } = view.definition;
  const next = converter ? await toStoredForm(view, step.next, context) : step.next;
  const result = await commitObject(deps, kv, next, how);
  if (step.type === "pass") return { type: "passed", next: step.next };
  return { type: "marked", result: await readyToShow(view, result) };
}

export type DeletionStep =
  | { readonly type: "remove" }
  | { readonly type: "wait" }
  | { readonly type: "keep" | "pass"; readonly next: KubeObject };

const SECOND_MS = 1000;

export function deletionStep(
  strategy: Strategy,
  live: Readonly<KubeObject>,
  options: DeleteOptions,
  context: RequestContext,
): DeletionStep {
  const seconds = gracePeriodOf(strategy, live, options);
  if (seconds === "pending") return { type: "wait" };
  const finalizers = finalizersForDeletion(live, options, strategy);
  if (live.metadata.deletionTimestamp === undefined) {
    for (const own of strategy.finalizersOnDelete ?? []) if (!finalizers.includes(own)) finalizers.push(own);
  }
  const isHeld = strategy.holdsDeletion?.(live) === true;
  if (isHeld && live.metadata.deletionTimestamp !== undefined) return { type: "wait" };
  const held = finalizers.length > 0 || isHeld;
  if (!held && seconds === undefined) return { type: "remove" };
  const next: KubeObject = cloneJson(live);
  if (finalizers.length > 0) next.metadata.finalizers = finalizers;
  else delete next.metadata.finalizers;
  markForDeletion(strategy, next, seconds, context);
  return { type: held || (seconds ?? 0) > 0 ? "keep" : "pass", next };
}

/**
 * Grace period in seconds that this request starts. "pending": a running one stays. undefined: the kind has none, or it
 * has expired.
 */
function gracePeriodOf(
  strategy: Strategy,
  live: Readonly<KubeObject>,
  options: DeleteOptions,
): number | "pending" | undefined {
  if (strategy.gracePeriodSeconds === undefined) return undefined;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = live.metadata;
  const gracePeriodSeconds = askedGracePeriod(options);
  if (deletionTimestamp === undefined) return strategy.gracePeriodSeconds(live, gracePeriodSeconds);
  if (deletionGracePeriodSeconds === 0) return undefined;
  const shorter = gracePeriodSeconds !== undefined && gracePeriodSeconds < deletionGracePeriodSeconds;
  return shorter ? gracePeriodSeconds : "pending";
}

/** A negative grace period counts as the shortest, 1 s. */
const askedGracePeriod = ({ gracePeriodSeconds }: DeleteOptions): number | undefined =>
  (gracePeriodSeconds ?? 0) < 0 ? 1 : gracePeriodSeconds;

function markForDeletion(
  strategy: Strategy,
  next: KubeObject,
  seconds: number | undefined,
  context: RequestContext,
): void {
  const { metadata } = next;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  if (deletionTimestamp !== undefined) {
    if (seconds === undefined) return;
    const sooner = (deletionGracePeriodSeconds - seconds) * SECOND_MS;
    metadata.deletionTimestamp = formatTime(Date.parse(deletionTimestamp) - sooner);
    metadata.deletionGracePeriodSeconds = seconds;
    return;
  }
  metadata.deletionTimestamp = formatTime(context.clock.now() + (seconds ?? 0) * SECOND_MS);
  metadata.deletionGracePeriodSeconds = seconds ?? 0;
  if (metadata.generation !== undefined && metadata.generation > 0) {
    metadata.generation = nextGeneration(metadata.generation);
  }
  strategy.prepareForDelete?.(next, context);
}

// Options of a DELETE (metav1.DeleteOptions), and their effect on the object's finalizers.

const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";

/** Throws 422 for unknown or contradictory options. */
export function validateDeleteOptions(options: DeleteOptions): void {
  const errors: FieldError[] = [];
  const policy = options.propagationPolicy;
  if (policy !== undefined && options.orphanDependents !== undefined) {
    errors.push(
      invalid("propagationPolicy", policy, "orphanDependents and deletionPropagation cannot be both set"),
    );
  }
  if (policy !== undefined && !["Foreground", "Background", "Orphan"].includes(policy)) {
    errors.push(notSupported("propagationPolicy", policy, ["Foreground", "Background", "Orphan", "nil"]));
  }
  append(errors, dryRunErrors(options.dryRun ?? []));
  if (errors.length > 0) throw invalidObject({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
}

/** Throws 409 when a precondition fails. */
export function checkPreconditions(
  definition: ResourceDefinition,
  object: Readonly<KubeObject>,
  preconditions: DeleteOptions["preconditions"],
): void {
  const { uid, resourceVersion, name = "" } = object.metadata;
  const kind = { group: definition.errorGroup ?? definition.group, resource: definition.kind };
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    const why = `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw conflict(kind, name, why);
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    const why = `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
    throw conflict(kind, name, why);
  }
}

/**
 * Finalizers of the object once its deletion begins. The garbage collector's finalizers follow the propagation policy; a
 * kind without garbage collection gets none. The list keeps its order where the set does not change.
 */
export function finalizersForDeletion(
  object: Readonly<KubeObject>,
  options: DeleteOptions,
  strategy: Pick<Strategy, "withoutGarbageCollection" | "orphansByDefault"> = {},
): string[] {
  const present = object.metadata.finalizers ?? [];
  const finalizers = present.filter((item) => item !== ORPHAN && item !== FOREGROUND);
  const usual = strategy.orphansByDefault ? ORPHAN : undefined;
  const own = strategy.withoutGarbageCollection ? undefined : collectorsFinalizer(present, options, usual);
  if (own !== undefined) finalizers.push(own);
  const [before, after] = [new Set(present), new Set(finalizers)];
  const isSame = before.size === after.size && finalizers.every((item) => before.has(item));
  return isSame ? [...present] : finalizers;
}

/** Precedence: options of the request, then the first finalizer of the object, then the default of the kind. */
function collectorsFinalizer(
  present: readonly string[],
  { propagationPolicy, orphanDependents }: DeleteOptions,
  usual: string | undefined,
): string | undefined {
  if (orphanDependents !== undefined) return orphanDependents ? ORPHAN : undefined;
  if (propagationPolicy === undefined)
    return present.find((item) => item === ORPHAN || item === FOREGROUND) ?? usual;
  return FINALIZERS[propagationPolicy];
}

const FINALIZERS: Readonly<Record<string, string>> = lookupTable({ Orphan: ORPHAN, Foreground: FOREGROUND });
