// POST: creates an object of any kind, from the decoded body to its first revision. A PUT or an apply that finds no
// object creates one by the same steps. The order is upstream's.

import { cloneJson } from "../../../apimachinery/json/json.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import {
  alreadyExists,
  forbidden,
  internalServerError,
  plainError,
  StatusError,
} from "../../../apimachinery/meta/status.ts";
import { ownTurn } from "../../../apimachinery/scheduling/event-loop.ts";
import { jobOwner } from "../../../apimachinery/workers/job.ts";
import type { KeyValue } from "../../../storage/store.ts";
import { admit, admitFinal, commitCharged } from "../admission.ts";
import { decodeStored } from "../codec/object-codec.ts";
import { acceptObject, type DecodedObject } from "../codec/object-decoder.ts";
import { type ObjectResult, readyToShow, storedOrder, toStoredForm } from "../codec/versions.ts";
import type { RequestContext } from "../definition/request-context.ts";
import type { ResourceView } from "../definition/resource-definition.ts";
import { objectKey, strategyOf } from "../definition/view.ts";
import type { RegistryDeps } from "../resource-registry.ts";
import { objectResourceVersion, parseUintComplaint, toStatusError } from "../resource-version.ts";
import { commitNew, lostRace } from "./commit.ts";
import { nullEmptyLists } from "./empty-lists.ts";
import { trackCreate } from "./managed-fields.ts";
import {
  checkNameMatches,
  dropRepeatedOwners,
  dropSystemFields,
  placeInNamespace,
  prepareForCreate,
  WriteClaims,
} from "./prepare.ts";
import { isRefusal, newestState } from "./suggested-state.ts";
import { validateWritten } from "./validate.ts";

export interface CreateInput {
  readonly view: ResourceView;
  readonly namespace: string;
  /** It is changed and kept. */
  readonly decoded: DecodedObject;
  readonly context: RequestContext;
}

interface NewObject extends Omit<CreateInput, "decoded"> {
  /** It is changed and kept. */
  readonly object: KubeObject;
  /** Endpoint of a PUT or apply that found no object. managedFields are already set. */
  readonly subresource?: string;
  /** The name in the URL of such a write. */
  readonly name?: string;
  /** An apply keeps managedFields whatever the size of the object. */
  readonly keepsManagers?: boolean;
}

/** Result of a write, and whether it created the object. */
export type WriteResult = ObjectResult & { readonly created?: boolean };

const TERMINATING = "create not allowed while custom resource definition is terminating";

/**
 * Attempts with a generated name, the first one included: maxNameGenerationCreateAttempts in
 * apiserver/pkg/registry/generic/registry/store.go.
 */
const NAME_ATTEMPTS_MAX = 8;

/**
 * Attempts of a write whose allocations concurrent writes take. Each failed attempt means that another write was
 * committed. The writes in flight at one time, 200 by default (--max-mutating-requests-inflight), cannot exhaust it.
 */
const ALLOCATION_ATTEMPTS_MAX = 200;

/** Creates an object. Rejects with a StatusError. */
export async function createObject(
  deps: RegistryDeps,
  { view, namespace, decoded, context }: CreateInput,
): Promise<ObjectResult> {
  const object = acceptObject(view, decoded, context);
  if (context.isLarge) await ownTurn();
  if (context.dryRun) await newestState(deps.store); // a dry run has no commit that could detect a stale state
  const isSuggested = deps.store.isShared && !context.dryRun;
  return tryToCreate(deps, { view, namespace, object, context }, isSuggested);
}

/**
 * Creates the object. Undefined: a concurrent write created it, and the caller updates that one. Rejects with a
 * StatusError.
 */
export async function createMissing(
  deps: RegistryDeps,
  missing: NewObject,
): Promise<WriteResult | undefined> {
  const { view, namespace, object } = missing;
  const { name = "", resourceVersion } = object.metadata;
  objectResourceVersion(resourceVersion); // must be a number, though there is no revision to compare with
  delete object.metadata.resourceVersion;
  try {
    return { ...(await tryToCreate(deps, missing, false)), created: true };
  } catch (error) {
    // An update does not report AlreadyExists. It is applied to the object that a concurrent write created.
    if (isTaken(error) && deps.store.get(objectKey(view.definition, namespace, name)) !== undefined)
      return undefined;
    throw error;
  }
}

/**
 * Creates the object. An attempt is repeated for three reasons, each with its own bound:
 *
 * - A concurrent write took an allocation: ALLOCATION_ATTEMPTS_MAX, then 500. A kube-apiserver returns InternalError,
 *   too, where its allocator fails. 409 would be misleading: the name is free, and the client has no version to update.
 * - A generated name is taken: NAME_ATTEMPTS_MAX, then the 409 of the last attempt, as upstream.
 * - The local state was stale (`isSuggested`, see suggested-state.ts): once, on the newest state.
 */
async function tryToCreate(
  deps: RegistryDeps,
  created: NewObject,
  isSuggested: boolean,
): Promise<ObjectResult> {
  const { store } = deps;
  const { view, object } = created;
  const isGenerated = (object.metadata.name ?? "") === "" && Boolean(object.metadata.generateName);
  const isRepeatable = isGenerated || strategyOf(view).claim !== undefined;
  let lostAllocations = 0;
  let takenNames = 0;
  let mayBeStale = isSuggested;
  for (;;) {
    const { revision } = store;
    try {
      const given = isRepeatable || mayBeStale ? { ...created, object: cloneJson(object) } : created;
      return await createOnce(deps, given);
    } catch (error) {
      if (error instanceof AllocationLost) {
        if (++lostAllocations >= ALLOCATION_ATTEMPTS_MAX) throw allocationFailed(view, error);
        continue;
      }
      if (isGenerated && isTaken(error) && ++takenNames < NAME_ATTEMPTS_MAX) continue;
      if (!mayBeStale || !isRefusal(error)) throw error;
      mayBeStale = false;
      await newestState(store);
      if (store.revision === revision) throw error;
    }
  }
}

async function createOnce(deps: RegistryDeps, created: NewObject): Promise<ObjectResult> {
  const { view, namespace, object: given, context, subresource, keepsManagers = false } = created;
  const { store } = deps;
  const { definition } = view;
  placeInNamespace(view, given, namespace);
  if (definition.terminating) throw forbidden(definition, given.metadata.name ?? "", TERMINATING);
  const { resourceVersion } = given.metadata;
  delete given.metadata.resourceVersion;
  dropSystemFields(given);
  const isPosted = subresource === undefined;
  if (isPosted) dropRepeatedOwners(given, context, "request");
  const object = isPosted ? await trackCreate(view, given, context) : given;
  if (context.isLarge) await ownTurn();
  const about = { operation: "CREATE", view, subresource: subresource ?? "", namespace, object } as const;
  // A mutating webhook that renames the object does not rename the request.
  const requested = created.name ?? object.metadata.name;
  const nameOf = () => requested || (object.metadata.name ?? "");
  const attributes = () => ({ ...about, name: nameOf(), oldObject: undefined, context });
  await admit(deps, attributes());
  const admittedVersion = settleAdmitted(created, object) ?? resourceVersion;
  const strategy = strategyOf(view);
  const claims = new WriteClaims(store, context);
  // Creating through the status subresource allocates nothing.
  prepareForCreate(view, object, context, subresource === "status" ? undefined : claims);
  await validateWritten({
    view,
    strategy,
    object,
    context,
    workers: deps.workers?.of(jobOwner(context.user)),
    allowed: deps.allowed,
  });
  if (context.isLarge) await ownTurn();
  if (!isPosted) context.authorizeCreate?.();
  await admitFinal(deps, attributes());
  nullEmptyLists(strategy, object);
  strategy.defaultStored?.(object);
  const { name = "" } = object.metadata;
  const key = objectKey(definition, namespace, name);
  const commit = async (): Promise<ObjectResult> => {
    if (!context.dryRun) refuseResourceVersion(admittedVersion);
    const taken = store.get(key);
    if (taken !== undefined) throw nameTaken(view, taken, object);
    if (store.unreadable.get(key) !== undefined) throw alreadyExists(definition, name);
    const stored = await toStoredForm(view, object);
    if (context.dryRun) return { type: "bare", object: withVersion(stored, admittedVersion) };
    const { isLarge } = context;
    const options = { order: storedOrder(definition), keepsManagers, isLarge, besides: claims.ops };
    return commitNew(deps, key, stored, options);
  };
  try {
    return readyToShow(view, await commitCharged(deps, attributes(), claims, commit));
  } catch (error) {
    if (strategy.claim && lostRace(error) && store.get(key) === undefined) throw new AllocationLost();
    throw toStatusError(error, definition, name);
  }
}

/**
 * Checks fields that mutating admission may have changed. The namespace must be that of the request. A POST may be
 * renamed, as upstream. A PUT or an apply may not, because the user was authorized for the name in the URL. Returns the
 * resourceVersion, which is removed. Throws 400, and 500 for a resourceVersion that is no number.
 */
function settleAdmitted(
  { view, namespace, name, subresource }: NewObject,
  object: KubeObject,
): string | undefined {
  const { metadata } = object;
  const { resourceVersion } = metadata;
  delete metadata.resourceVersion;
  placeInNamespace(view, object, namespace);
  if (subresource === undefined) return resourceVersion;
  objectResourceVersion(resourceVersion); // must be a number, and is ignored
  if (metadata.name && name !== undefined) checkNameMatches(object, name);
  return undefined;
}

/** The result of a dry run keeps the resourceVersion that it was sent with; nothing validates it. */
const withVersion = (object: KubeObject, resourceVersion: string | undefined): KubeObject =>
  resourceVersion === undefined ? object : { ...object, metadata: { ...object.metadata, resourceVersion } };

/** A concurrent write took a value that the allocator chose; the name of the object is still free. */
class AllocationLost extends Error {}

const allocationFailed = ({ definition }: ResourceView, cause: AllocationLost): StatusError =>
  internalServerError(
    `failed to allocate for ${definition.resource}: concurrent writes took the values of ${ALLOCATION_ATTEMPTS_MAX} attempts`,
    cause,
  );

const isTaken = (error: unknown): boolean => error instanceof StatusError && error.reason === "AlreadyExists";

function nameTaken(view: ResourceView, kv: KeyValue, { metadata }: KubeObject): StatusError {
  const error = alreadyExists(view.definition, metadata.name ?? "");
  const { status } = error;
  if (metadata.generateName) {
    // An explicit metadata.name does not change that (CheckGeneratedNameError in apiserver/pkg/registry/rest/create.go).
    status.message += ", the server was not able to generate a unique name for the object";
    status.details = { ...status.details, retryAfterSeconds: 1 };
  }
  if (decodeStored(kv).metadata.deletionTimestamp)
    status.message = `object is being deleted: ${status.message}`;
  return error;
}

/** A text that is no number counts as unset; a number other than 0 is rejected. */
function refuseResourceVersion(text: string | undefined): void {
  if (text === undefined || parseUintComplaint(text) !== undefined) return;
  if (objectResourceVersion(text) !== 0)
    throw plainError("resourceVersion should not be set on objects to be created");
}
