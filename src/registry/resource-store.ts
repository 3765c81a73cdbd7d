// The generic registry: create, update and delete for every kind, over the store. Each write is one bracket — read,
// change, check, commit with the expected revision — that starts over when somebody else was faster.
import { cloneJson } from "../meta/json.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { toRevision } from "../meta/revision.ts";
import { alreadyExists, forbidden, notFound, plainError, type StatusError } from "../meta/status.ts";
import type { KeyValue } from "../storage/store.ts";
import { type AdmissionAttributes, admit, admitFinal } from "./admission.ts";
import { decodeStored, encodeStored } from "./codec/object-codec.ts";
import {
  decodeInVersion,
  decodeToStore,
  type ObjectResult,
  prepareVersions,
  readyToShow,
  storedOrder,
  toStoredForm,
} from "./codec/versions.ts";
import { breathe, type DeleteOptions, type RequestContext } from "./definition/request-context.ts";
import type { ObjectAddress, ResourceView } from "./definition/resource-definition.ts";
import { objectKey, storageView, strategyOf } from "./definition/view.ts";
import { FencedStore } from "./fenced-store.ts";
import type { ListRequest, ListResult } from "./read/list.ts";
import { listReady, prepareSelection } from "./read/list-ready.ts";
import { type ObjectWatch, type WatchRequest, watchInTurns, watchObjects } from "./read/watch.ts";
import type { RegistryDeps } from "./registry-deps.ts";
import type { ResourceRegistry } from "./resource-registry.ts";
import { objectResourceVersion, parseUintComplaint } from "./resource-version.ts";
import { toStatusError } from "./store-errors.ts";
import { dropSystemFields, placeInNamespace, prepareForCreate, validateNew } from "./write/before-create.ts";
import { WriteClaims } from "./write/claims.ts";
import { commitObject, commitOne, lostRace, readBack } from "./write/commit.ts";
import { checkMeant, checkPreconditions } from "./write/delete-options.ts";
import { deletionStep } from "./write/deletion.ts";
import { fitInTurns, fitStored } from "./write/size-limit.ts";
import { type CreateInput, type UpdateInput, type UpdateResult, updateObject } from "./write/update.ts";

export type DeleteResult =
  /** Its last state, with the revision of the deletion. */
  | { readonly type: "deleted"; readonly last: Readonly<KubeObject> }
  /** Finalizers or a grace period hold it: marked, still there. */
  | { readonly type: "marked"; readonly result: ObjectResult };

const TERMINATING = "create not allowed while custom resource definition is terminating";

/** How often a generated name is tried again when it is taken, as a real server does. */
const GENERATE_NAME_TRIES = 8;

export class ResourceStore {
  /** Which kinds are served. */
  readonly registry: ResourceRegistry;
  readonly #deps: RegistryDeps;

  constructor(deps: RegistryDeps) {
    this.registry = deps.resources;
    this.#deps = deps;
  }

  /** The newest revision that can be read. */
  get revision(): number {
    return this.#deps.store.revision;
  }

  /** The same for somebody who may write until the signal aborts: what is not with the store by then is never written. */
  until(signal: AbortSignal): ResourceStore {
    return new ResourceStore({ ...this.#deps, store: new FencedStore(this.#deps.store, signal) });
  }

  viewOf(group: string, version: string, resource: string): ResourceView | undefined {
    return this.registry.find(group, version, resource);
  }

  /** The stored object, now or at a past revision that is still kept; undefined: there is none. */
  find({ view, namespace, name }: ObjectAddress, at?: number): KeyValue | undefined {
    const key = objectKey(view.definition, namespace, name);
    return this.#deps.store.get(key, at === undefined ? undefined : toRevision(at));
  }

  /** As find, or a 404. */
  get(address: ObjectAddress, at?: number): KeyValue {
    const kv = this.find(address, at);
    if (kv === undefined) throw notFound(address.view.definition, address.name);
    return kv;
  }

  /** Rejects with 400 and 500 for what cannot be asked, with 410 for a revision or a continue token that is too old. */
  list(view: ResourceView, request: ListRequest): Promise<ListResult> {
    return listReady(this.#deps.store, view, request);
  }

  /** Throws as list does. */
  watch(view: ResourceView, request: WatchRequest): ObjectWatch {
    return watchObjects(this.#deps.store, view, request);
  }

  /** As watch; what it has to look into first is made ready, and others have their turn meanwhile. */
  async watchReady(view: ResourceView, request: WatchRequest): Promise<ObjectWatch> {
    const { store } = this.#deps;
    const first = {
      ...request,
      resourceVersion: "",
      resourceVersionMatch: "",
      limit: 0,
      continueToken: "",
    } as const;
    await prepareSelection(store, view, first);
    return watchInTurns(store, view, request);
  }

  /** Admission of what is posted below an object and not stored. Rejects with a StatusError to refuse. */
  async admitPosted(attributes: AdmissionAttributes): Promise<void> {
    await admit(this.#deps, attributes);
    await admitFinal(this.#deps, attributes);
  }

  async create(input: CreateInput): Promise<ObjectResult> {
    const { object } = input;
    const generated = (object.metadata.name ?? "") === "" && Boolean(object.metadata.generateName);
    const repeatable = generated || strategyOf(input.view).claim !== undefined;
    for (let attempt = 1; ; attempt++) {
      const copy = repeatable ? cloneJson(object) : object;
      try {
        return await this.#createOnce({ ...input, object: copy });
      } catch (error) {
        if (error instanceof ClaimLost) {
          attempt--;
          continue;
        }
        const taken = error instanceof Error && "reason" in error && error.reason === "AlreadyExists";
        if (!generated || !taken || attempt >= GENERATE_NAME_TRIES) throw error;
      }
    }
  }

  update(input: UpdateInput): Promise<UpdateResult> {
    return updateObject(this.#deps, input, (created) => this.create(created));
  }

  /**
   * Changes the stored object as the server itself does it: without admission, strategy or validation. Throws 404, and 409
   * when it is not the object that was meant; what change() throws goes to the client.
   */
  async modify(
    { view, namespace, name }: ObjectAddress,
    context: RequestContext,
    meant: { readonly uid?: string; readonly resourceVersion?: string },
    change: (object: KubeObject) => void,
  ): Promise<void> {
    for (;;) {
      const kv = this.get({ view, namespace, name });
      const next: KubeObject = cloneJson(decodeStored(kv));
      checkMeant(view.definition, kv, next, meant);
      change(next);
      try {
        await commitObject(this.#deps, kv, next, {
          dryRun: context.dryRun,
          order: storedOrder(view.definition),
        });
        return;
      } catch (error) {
        if (!lostRace(error)) throw toStatusError(error, view.definition, name);
      }
    }
  }

  /** Deletes, or marks for deletion when finalizers hold the object. */
  async delete(
    address: ObjectAddress,
    options: DeleteOptions,
    context: RequestContext,
  ): Promise<DeleteResult> {
    const { view, namespace, name } = address;
    let marked: Readonly<KubeObject> | undefined;
    for (;;) {
      const kv = this.#deps.store.get(objectKey(view.definition, namespace, name));
      // Whoever removed it between the two revisions of this deletion has done the same.
      if (kv === undefined && marked !== undefined) return { type: "deleted", last: marked };
      if (kv === undefined) throw notFound(view.definition, name);
      await prepareVersions(storageView(view.definition), [kv]);
      const live = decodeToStore(view, kv);
      if (marked === undefined) await this.#admitDelete(address, { kv, live }, options, context);
      try {
        const done = await this.#deleteOnce(address, { kv, live }, options, context);
        if (done.type !== "passed") return done;
        if (context.dryRun) return { type: "deleted", last: done.next };
        marked = done.next;
      } catch (error) {
        if (!lostRace(error)) throw toStatusError(error, view.definition, name);
      }
    }
  }

  async #admitDelete(
    { view, namespace, name }: ObjectAddress,
    { kv, live }: { readonly kv: KeyValue; readonly live: Readonly<KubeObject> },
    options: DeleteOptions,
    context: RequestContext,
  ): Promise<void> {
    checkPreconditions(view.definition, live, options.preconditions);
    let oldObject = live;
    if (this.#deps.dynamicAdmission) {
      await prepareVersions(view, [kv]);
      oldObject = decodeInVersion(view, kv); // others see it in the version of the request
    }
    const about = { view, subresource: "", namespace, name, object: undefined, oldObject, context };
    const attributes = { operation: "DELETE", ...about, deleteOptions: options } as const;
    await admit(this.#deps, attributes);
    await admitFinal(this.#deps, attributes);
  }

  /** "passed": the object has been marked, and is to be removed at once. */
  async #deleteOnce(
    { view }: ObjectAddress,
    { kv, live }: { readonly kv: KeyValue; readonly live: Readonly<KubeObject> },
    options: DeleteOptions,
    context: RequestContext,
  ): Promise<DeleteResult | { readonly type: "passed"; readonly next: KubeObject }> {
    const { store } = this.#deps;
    const strategy = strategyOf(view);
    const step = deletionStep(strategy, live, options, context);
    if (step.type === "wait") return { type: "marked", result: { type: "stored", kv } };
    if (step.type === "remove") {
      if (context.dryRun) return { type: "deleted", last: live };
      const claims = new WriteClaims(store, context);
      strategy.release?.(live, claims);
      const op = { type: "delete", key: kv.key, ifModRevision: kv.modRevision } as const;
      const revision = await commitOne(store, op, claims.ops);
      const metadata = { ...live.metadata, resourceVersion: String(revision) };
      return { type: "deleted", last: { ...live, metadata } };
    }
    const how = { dryRun: context.dryRun, order: storedOrder(view.definition) };
    const result = await commitObject(this.#deps, kv, step.next, how);
    if (step.type === "pass") return { type: "passed", next: step.next };
    return { type: "marked", result: await readyToShow(view, result) };
  }

  async #createOnce(input: CreateInput): Promise<ObjectResult> {
    const { view, namespace, object, context, updated, track, keepsManagers = false } = input;
    const { store } = this.#deps;
    const { definition } = view;
    placeInNamespace(view, object, namespace);
    if (definition.terminating) throw forbidden(definition, object.metadata.name ?? "", TERMINATING);
    const { resourceVersion } = object.metadata;
    delete object.metadata.resourceVersion;
    dropSystemFields(object);
    const tracked = track ? track(object) : object;
    const { subresource } = updated ?? { subresource: "" };
    const about = { view, subresource, namespace, object: tracked, oldObject: undefined, context };
    const nameOf = () => ({ name: tracked.metadata.name ?? "" });
    const afterTracking = breathe(context);
    if (afterTracking) await afterTracking;
    const admitting = admit(this.#deps, { operation: "CREATE", ...about, ...nameOf() });
    if (admitting) await admitting;
    const claims = new WriteClaims(store, context);
    prepareForCreate(view, tracked, context, claims);
    const checking = validateNew(view, tracked, context, this.#deps.workers);
    if (checking) await checking;
    const afterChecking = breathe(context);
    if (afterChecking) await afterChecking;
    if (updated) context.demandCreate?.();
    const validating = admitFinal(this.#deps, { operation: "CREATE", ...about, ...nameOf() });
    if (validating) await validating;
    refuseResourceVersion(resourceVersion);
    const name = tracked.metadata.name ?? "";
    const key = objectKey(definition, namespace, name);
    const taken = store.get(key);
    if (taken !== undefined) throw nameTaken(view, taken, name);
    const stored = await toStoredForm(view, tracked);
    if (context.dryRun) return readyToShow(view, { type: "bare", object: stored });
    try {
      const order = storedOrder(definition);
      const { messageLength, requestBytesMax } = this.#deps;
      const fitting = { key, order, revision: undefined, messageLength, requestBytesMax, keepsManagers };
      const value = context.isLarge
        ? await fitInTurns(stored, fitting)
        : fitStored(stored, encodeStored(stored, order), fitting);
      const revision = await commitOne(store, { type: "create", key, value }, claims.ops);
      return readyToShow(view, { type: "stored", kv: readBack(store, key, revision) });
    } catch (error) {
      if (claims.ops.length > 0 && lostRace(error) && store.get(key) === undefined) throw new ClaimLost();
      throw toStatusError(error, definition, name);
    }
  }
}

/** What a new object was to have was taken by somebody who was faster; the name is still free. */
class ClaimLost extends Error {}

function nameTaken(view: ResourceView, kv: KeyValue, name: string): StatusError {
  const error = alreadyExists(view.definition, name);
  if (decodeStored(kv).metadata.deletionTimestamp)
    error.status.message = `object is being deleted: ${error.status.message}`;
  return error;
}

/** A text that is no number counts as none; a number other than 0 is refused. */
function refuseResourceVersion(text: string | undefined): void {
  if (text === undefined || parseUintComplaint(text) !== undefined) return;
  if (objectResourceVersion(text) !== 0)
    throw plainError("resourceVersion should not be set on objects to be created");
}
