// Generic registry: reads and writes of all kinds over one store. Each write is a list of steps in a file of its own
// (write/create.ts, change.ts, patch.ts, apply.ts, delete.ts). HTTP handlers and in-process clients call the same
// methods.
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { toRevision } from "../../apimachinery/meta/revision.ts";
import type { FencingToken, KeyValue } from "../../storage/store.ts";
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

export type { FencingToken } from "../../storage/store.ts";

const DIGITS = /^\d+$/;
/** Time that a request waits for a future revision, as in a kube-apiserver. */
const FUTURE_REVISION_MS = 3000;

export class ResourceStore implements ActionResources {
  /** The served kinds. */
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
   * Resolves when the local state is recent enough for a request. It includes every acknowledged write, or at least the
   * requested revision ("0": any state). undefined where it does already. Rejects with a StatusError at the timeout.
   */
  ready({ definition }: ResourceView, resourceVersion: string): Promise<void> | undefined {
    const { store } = this.#deps;
    if (resourceVersion === "0") return undefined;
    if (resourceVersion !== "" && DIGITS.test(resourceVersion)) {
      const reaches = store.reaches(toRevision(Number(resourceVersion)), FUTURE_REVISION_MS);
      if (typeof reaches === "boolean") return undefined;
      return store.metrics.of(resourcePrefix(definition)).waited(reaches); // the verb itself reports an invalid value
    }
    const newest = newestState(store);
    return newest && store.metrics.of(resourcePrefix(definition)).readsPresent(newest);
  }

  /**
   * The same store for a caller that may write until the signal aborts, and only while the fencing token is valid. Writes
   * that have not reached the store by then are dropped.
   */
  until(signal: AbortSignal, fencingToken?: () => FencingToken | undefined): ResourceStore {
    return new ResourceStore({ ...this.#deps, over: signal, fencingToken });
  }

  viewOf(group: string, version: string, resource: string): ResourceView | undefined {
    return this.registry.find(group, version, resource);
  }

  /** The stored object, at present or at a past revision that is not compacted; undefined: there is none. */
  find({ view, namespace, name }: ObjectAddress, at?: number): KeyValue | undefined {
    const key = objectKey(view.definition, namespace, name);
    return this.#deps.store.get(key, at === undefined ? undefined : toRevision(at));
  }

  /** As find, or throws a 404. */
  get(address: ObjectAddress, at?: number): KeyValue {
    const kv = this.find(address, at);
    if (kv === undefined) throw absent(this.#deps.store, address);
    return kv;
  }

  /** All stored objects of a namespace in the present state. */
  allIn({ definition }: ResourceView, namespace: string): readonly KeyValue[] {
    return this.#deps.store.list(collectionRange(definition, namespace)).items;
  }

  /** Rejects with 400 and 500 for invalid options, with 410 for a compacted revision or an expired continue token. */
  list(view: ResourceView, request: ListRequest): Promise<ListResult> {
    return listReady(this.#deps.store, view, request);
  }

  /** Throws as list does. */
  watch(view: ResourceView, request: WatchRequest): ObjectWatch {
    return watchObjects(this.#deps.store, view, request);
  }

  /** As watch, with yielding while the initial objects are converted and evaluated. */
  async watchReady(view: ResourceView, request: WatchRequest): Promise<ObjectWatch> {
    const { store } = this.#deps;
    await prepareSelection(store, view, { ...request, ...PRESENT });
    return watchInTurns(store, view, request);
  }

  /** Admission of a posted object that is not stored; `check` runs between its two phases. Rejects with a StatusError. */
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

  /** Deletes one object of a deletecollection request. */
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

  /** Updates a stored object on behalf of the server, see modifyObject. */
  modify(
    address: ObjectAddress,
    context: RequestContext,
    meant: Meant,
    change: (object: KubeObject) => void,
  ): Promise<void> {
    return modifyObject(this.#deps, address, context, meant, change);
  }
}
