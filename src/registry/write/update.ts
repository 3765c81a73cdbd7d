// The generic update, behind PUT, every kind of PATCH and the subresources that change an object: read the live
// object, let the caller make the next one from it, carry over what may not change, validate, commit with the
// expected revision. All of it runs again on the fresh object when somebody else was faster.
import { invalid } from "../../meta/field-error.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { conflict, invalidObject, MODIFIED, notFound, StatusError } from "../../meta/status.ts";
import { keepTimesOfNoop } from "../../patch/apply/noop-times.ts";
import type { KeyValue } from "../../storage/store.ts";
import { type AdmissionAttributes, admit, admitFinal } from "../admission.ts";
import { decodeStored } from "../codec/object-codec.ts";
import {
  decodeInVersion,
  type ObjectResult,
  prepareVersions,
  readyToShow,
  storedOrder,
  toStoredForm,
} from "../codec/versions.ts";
import { breathe, LARGE_BYTES, type RequestContext } from "../definition/request-context.ts";
import type { ObjectAddress, ResourceView } from "../definition/resource-definition.ts";
import type { Strategy } from "../definition/strategy.ts";
import { objectKey, strategyOf } from "../definition/view.ts";
import type { RegistryDeps } from "../registry-deps.ts";
import { objectResourceVersion } from "../resource-version.ts";
import { toStatusError } from "../store-errors.ts";
import { placeInNamespace } from "./before-create.ts";
import { prepareForUpdate, validateChanged } from "./before-update.ts";
import { WriteClaims } from "./claims.ts";
import { commitObject, commitOne, lostRace } from "./commit.ts";
import { checkMeant } from "./delete-options.ts";

export interface CreateInput {
  readonly view: ResourceView;
  readonly namespace: string;
  /** Decoded, pruned and defaulted; it is changed and kept. */
  readonly object: KubeObject;
  readonly context: RequestContext;
  /** The endpoint, where a PUT or an apply there has found no object to change; left out: it was posted. */
  readonly updated?: { readonly subresource: string };
  /** An apply keeps managedFields however large the object is. */
  readonly keepsManagers?: boolean;
  /** Sets managedFields; left out where they are made already (apply). */
  readonly track?: (object: KubeObject) => KubeObject;
}

export interface UpdateInput {
  readonly address: ObjectAddress;
  /** "" for the object itself. */
  readonly subresource: string;
  /** What this endpoint may change: the kind's strategy, or that of the subresource. */
  readonly strategy: Strategy;
  readonly context: RequestContext;
  /** The uid in the body of a PUT: another object of the same name is not replaced. */
  readonly uid?: string | undefined;
  /** A missing object is made (PUT of some built-in kinds, apply). */
  readonly allowCreate: boolean;
  /** An apply keeps managedFields however large the object is. */
  readonly keepsManagers?: boolean;
  /**
   * Makes the next object, with managedFields, in the version of the request. It must not change live. In turns where
   * much is sent or stored: only then a promise is expected.
   */
  next(live: Readonly<KubeObject> | undefined, isLarge: boolean): KubeObject | Promise<KubeObject>;
}

export type UpdateResult = ObjectResult & { readonly created?: boolean };

export async function updateObject(
  deps: RegistryDeps,
  input: UpdateInput,
  create: (input: CreateInput) => Promise<ObjectResult>,
): Promise<UpdateResult> {
  const { view, namespace, name } = input.address;
  const { context, subresource } = input;
  for (;;) {
    const key = objectKey(view.definition, namespace, name);
    const kv = deps.store.get(key);
    if (kv === undefined) {
      if (!input.allowCreate) throw notFound(view.definition, name);
      const object = await input.next(undefined, context.isLarge === true);
      objectResourceVersion(object.metadata.resourceVersion); // it must be a number, but there is nothing to compare it with
      delete object.metadata.resourceVersion;
      const updated = { subresource };
      const { keepsManagers = false } = input;
      try {
        return {
          ...(await create({ view, namespace, object, context, updated, keepsManagers })),
          created: true,
        };
      } catch (error) {
        // Who asked for an update is not told that the object exists: it is changed, as if it had been there at first.
        if (isTaken(error) && deps.store.get(key) !== undefined) continue;
        throw error;
      }
    }
    try {
      return await replaceOnce(deps, sized(input, kv), kv);
    } catch (error) {
      if (!lostRace(error)) throw toStatusError(error, view.definition, name);
    }
  }
}

const isTaken = (error: unknown): boolean => error instanceof StatusError && error.reason === "AlreadyExists";

/** A small change of a large object is as much work as a large one. */
function sized(input: UpdateInput, { value }: KeyValue): UpdateInput {
  if (input.context.isLarge || value.length <= LARGE_BYTES) return input;
  return { ...input, context: { ...input.context, isLarge: true } };
}

async function replaceOnce(deps: RegistryDeps, input: UpdateInput, kv: KeyValue): Promise<ObjectResult> {
  const { address, strategy, context } = input;
  const { view, namespace, name } = address;
  await prepareVersions(view, [kv]);
  const live = decodeInVersion(view, kv);
  checkUid(input, kv, live);
  const afterReading = breathe(context);
  if (afterReading) await afterReading;
  const made = input.next(live, context.isLarge === true);
  const object = made instanceof Promise ? await made : made;
  const afterChange = breathe(context);
  if (afterChange) await afterChange;
  placeInNamespace(view, object, namespace);
  const attributes: AdmissionAttributes = {
    operation: "UPDATE",
    view,
    subresource: input.subresource,
    namespace,
    name,
    object,
    oldObject: live,
    context,
  };
  const admitting = admit(deps, attributes);
  if (admitting) await admitting;
  checkResourceVersion(view.definition, strategy, object, kv);
  const claims = new WriteClaims(deps.store, context);
  prepareForUpdate(view, strategy, object, live, context, claims);
  const afterPreparing = breathe(context);
  if (afterPreparing) await afterPreparing;
  const checking = validateChanged({ view, strategy, workers: deps.workers }, object, live, context);
  if (checking) await checking;
  const afterChecking = breathe(context);
  if (afterChecking) await afterChecking;
  const settled = keepTimesOfNoop(live, object);
  const afterComparing = breathe(context);
  if (afterComparing) await afterComparing;
  const validating = admitFinal(deps, { ...attributes, object: settled });
  if (validating) await validating;
  if (readyToGo(strategyOf(view), settled, live)) return removeNow(deps, view, kv, settled, context);
  const { keepsManagers } = input;
  const order = storedOrder(view.definition);
  const { dryRun, isLarge } = context;
  const options = { dryRun, order, keepsManagers, isLarge, besides: claims.ops };
  const result = await commitObject(deps, kv, await toStoredForm(view, settled), options);
  return readyToShow(view, result);
}

function checkUid({ uid, address }: UpdateInput, kv: KeyValue, live: Readonly<KubeObject>): void {
  if (uid) checkMeant(address.view.definition, kv, live, { uid });
}

function checkResourceVersion(
  definition: ObjectAddress["view"]["definition"],
  strategy: Strategy,
  object: KubeObject,
  kv: KeyValue,
): void {
  const wanted = objectResourceVersion(object.metadata.resourceVersion);
  const name = object.metadata.name ?? "";
  if (wanted === 0) {
    if (strategy.allowUnconditionalUpdate) {
      object.metadata.resourceVersion = String(kv.modRevision);
      return;
    }
    const error = invalid("metadata.resourceVersion", 0, "must be specified for an update");
    throw invalidObject({ group: definition.group, kind: definition.resource }, name, [error]);
  }
  if (wanted !== kv.modRevision) throw conflict(definition, name, MODIFIED);
}

/** An object under deletion that nothing holds any more goes with the write that lets it go. */
function readyToGo(strategy: Strategy, object: KubeObject, live: Readonly<KubeObject>): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = live.metadata;
  return (
    Boolean(deletionTimestamp) &&
    deletionGracePeriodSeconds === 0 &&
    (object.metadata.finalizers ?? []).length === 0 &&
    strategy.holdsDeletion?.(object) !== true
  );
}

async function removeNow(
  deps: RegistryDeps,
  view: ResourceView,
  kv: KeyValue,
  object: KubeObject,
  context: RequestContext,
): Promise<ObjectResult> {
  if (!context.dryRun) {
    const claims = new WriteClaims(deps.store, context);
    strategyOf(view).release?.(decodeStored(kv), claims);
    const op = { type: "delete", key: kv.key, ifModRevision: kv.modRevision } as const;
    await commitOne(deps.store, op, claims.ops);
  }
  return {
    type: "bare",
    object: { ...object, metadata: { ...object.metadata, resourceVersion: String(kv.modRevision) } },
  };
}
