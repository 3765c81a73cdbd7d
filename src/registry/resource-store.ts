// The generic registry: what is read and written of every kind, over one store. Each write is a list of steps in a file of
// its own (write/create.ts, update.ts, patch.ts, apply.ts, delete.ts); HTTP and the clients in the process call the same.
import type { KubeObject } from "../meta/object-meta.ts";
import { toRevision } from "../meta/revision.ts";
import type { Guard, KeyValue } from "../storage/store.ts";
import { type AdmissionAttributes, admit, admitFinal, admitUnstored } from "./admission.ts";
import type { ObjectResult } from "./codec/versions.ts";
import type { DeleteOptions, RequestContext } from "./definition/request-context.ts";
import type { ActionResources, ObjectAddress, ResourceView } from "./definition/resource-definition.ts";
import { collectionRange, objectKey, resourcePrefix } from "./definition/view.ts";
import { absent } from "./read/absent.ts";
import { type ListRequest, type ListResult, listReady, PRESENT, prepareSelection } from "./read/list.ts";
import { type ObjectWatch, type WatchRequest, watchInTurns, watchObjects } from "./read/watch.ts";
import type { RegistryDeps, ResourceRegistry } from "./resource-registry.ts";
import { type ApplyInput, applyObject } from "./write/apply.ts";
import { type Meant, modifyObject, type UpdateInput, updateObject } from "./write/change.ts";
import { type CreateInput, createObject, type WriteResult } from "./write/create.ts";
import { type DeleteResult, deleteObject } from "./write/delete.ts";
import { type PatchInput, patchObject } from "./write/patch.ts";
import { newestState } from "./write/suggested-state.ts";

export type { Guard } from "../storage/store.ts";

const DIGITS = /^\d+$/;
/** As long as a kube-apiserver waits for a revision that is not there yet. */
const FUTURE_REVISION_MS = 3000;

export class ResourceStore implements ActionResources {
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

  /**
   * Resolves when a request can be answered from what can be read here: all that anybody was answered before is in it, or,
   * where an older state will do ("0": any, else at least that one), that one. undefined where it is so already. Rejects
   * with a StatusError when the state does not come in time.
   */
  ready({ definition }: ResourceView, resourceVersion: string): Promise<void> | undefined {
    const { store } = this.#deps;
    if (resourceVersion === "0") return undefined;
    if (resourceVersion !== "" && DIGITS.test(resourceVersion)) {
      const reaches = store.reaches(toRevision(Number(resourceVersion)), FUTURE_REVISION_MS);
      if (typeof reaches === "boolean") return undefined;
      return store.figures.of(resourcePrefix(definition)).waited(reaches); // what it is not, the verb tells
    }
    const newest = newestState(store);
    return newest && store.figures.of(resourcePrefix(definition)).readsPresent(newest);
  }

  /**
   * The same for somebody who may write until the signal aborts, and only while the guard holds: what is not with the store
   * by then is never written.
   */
  until(signal: AbortSignal, guard?: () => Guard | undefined): ResourceStore {
    return new ResourceStore({ ...this.#deps, over: signal, guard });
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
    if (kv === undefined) throw absent(this.#deps.store, address);
    return kv;
  }

  /** All stored objects of a namespace as they are now. */
  allIn({ definition }: ResourceView, namespace: string): readonly KeyValue[] {
    return this.#deps.store.list(collectionRange(definition, namespace)).items;
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
    await prepareSelection(store, view, { ...request, ...PRESENT });
    return watchInTurns(store, view, request);
  }

  /**
   * Admission of what is posted below an object and not stored; `check` runs between its two halves. Rejects with a
   * StatusError to refuse.
   */
  async admitPosted(attributes: AdmissionAttributes, check: () => void): Promise<void> {
    await admit(this.#deps, attributes);
    check();
    await admitFinal(this.#deps, attributes);
  }

  /** Admission of a connection or of a review, see admitUnstored. */
  admitUnstored(attributes: AdmissionAttributes, check?: () => void): Promise<void> | undefined {
    return admitUnstored(this.#deps, attributes, check);
  }

  readonly create = (input: CreateInput): Promise<ObjectResult> => createObject(this.#deps, input);
  readonly update = (input: UpdateInput): Promise<WriteResult> => updateObject(this.#deps, input);
  readonly patch = (input: PatchInput): Promise<ObjectResult> => patchObject(this.#deps, input);
  readonly apply = (input: ApplyInput): Promise<WriteResult> => applyObject(this.#deps, input);

  delete(address: ObjectAddress, options: DeleteOptions, context: RequestContext): Promise<DeleteResult> {
    return deleteObject(this.#deps, address, options, context);
  }

  /** Deletes one object of a collection that the request deletes. */
  deleteOfCollection(
    address: ObjectAddress,
    options: DeleteOptions,
    context: RequestContext,
  ): Promise<DeleteResult> {
    return deleteObject(this.#deps, address, options, context, "collection");
  }

  deleteAdmitted(
    address: ObjectAddress,
    options: DeleteOptions,
    context: RequestContext,
  ): Promise<DeleteResult> {
    return deleteObject(this.#deps, address, options, context, "none");
  }

  /** Changes the stored object as the server itself does it, see modifyObject. */
  modify(
    address: ObjectAddress,
    context: RequestContext,
    meant: Meant,
    change: (object: KubeObject) => void,
  ): Promise<void> {
    return modifyObject(this.#deps, address, context, meant, change);
  }
}
