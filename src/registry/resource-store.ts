// The generic registry: create, update and delete for every kind, over the store. Each write is one bracket — read,
// change, check, commit with the expected revision — that starts over when somebody else was faster.
import { formatTime } from "../meta/clock.ts";
import { cloneJson } from "../meta/json.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { alreadyExists, forbidden, notFound, plainError, type StatusError } from "../meta/status.ts";
import type { KeyValue } from "../storage/store.ts";
import { admitAll } from "./admission/admission.ts";
import { decodeStored, encodeStored } from "./codec/object-codec.ts";
import { decodeToStore, prepareVersions, readyToShow, toStoredForm } from "./codec/versions.ts";
import { objectKey } from "./keys.ts";
import type { RequestContext } from "./request-context.ts";
import type { ResourceView } from "./resource-definition.ts";
import { storageView, strategyOf } from "./resource-registry.ts";
import { objectResourceVersion, parseUintComplaint } from "./resource-version.ts";
import { toStatusError } from "./store-errors.ts";
import { dropSystemFields, placeInNamespace, prepareForCreate, validateNew } from "./write/before-create.ts";
import {
  commitObject,
  commitOne,
  lostRace,
  type ObjectAddress,
  type RegistryDeps,
  readBack,
} from "./write/commit.ts";
import { checkPreconditions, type DeleteOptions, finalizersForDeletion } from "./write/delete-options.ts";
import { type UpdateInput, type UpdateResult, updateObject } from "./write/update.ts";
import type { ObjectResult } from "./write/write-result.ts";

export interface CreateInput {
  readonly view: ResourceView;
  readonly namespace: string;
  /** Decoded, pruned and defaulted; it is changed and kept. */
  readonly object: KubeObject;
  readonly context: RequestContext;
  /** Sets managedFields; left out where they are made already (apply). */
  readonly track?: (object: KubeObject) => KubeObject;
}

export type DeleteResult =
  | { readonly type: "deleted"; readonly last: Readonly<KubeObject> }
  /** Finalizers hold it: marked, still there. */
  | { readonly type: "marked"; readonly result: ObjectResult };

const TERMINATING = "create not allowed while custom resource definition is terminating";

/** How often a generated name is tried again when it is taken, as a real server does. */
const GENERATE_NAME_TRIES = 8;

export class ResourceStore {
  readonly #deps: RegistryDeps;

  constructor(deps: RegistryDeps) {
    this.#deps = deps;
  }

  get deps(): RegistryDeps {
    return this.#deps;
  }

  /** The stored object, or a 404. */
  get({ view, namespace, name }: ObjectAddress): KeyValue {
    const kv = this.#deps.store.get(objectKey(view.definition, namespace, name));
    if (kv === undefined) throw notFound(view.definition, name);
    return kv;
  }

  async create(input: CreateInput): Promise<ObjectResult> {
    const { object } = input;
    const generated = (object.metadata.name ?? "") === "" && Boolean(object.metadata.generateName);
    for (let attempt = 1; ; attempt++) {
      const copy = generated && attempt < GENERATE_NAME_TRIES ? cloneJson(object) : object;
      try {
        return await this.#createOnce({ ...input, object: copy });
      } catch (error) {
        const taken = error instanceof Error && "reason" in error && error.reason === "AlreadyExists";
        if (!generated || !taken || attempt >= GENERATE_NAME_TRIES) throw error;
      }
    }
  }

  update(input: UpdateInput): Promise<UpdateResult> {
    return updateObject(this.#deps, input, (created) => this.create(created));
  }

  /** Deletes, or marks for deletion when finalizers hold the object. */
  async delete(
    address: ObjectAddress,
    options: DeleteOptions,
    context: RequestContext,
  ): Promise<DeleteResult> {
    const { view, namespace, name } = address;
    for (;;) {
      const kv = this.get(address);
      await prepareVersions(storageView(view.definition), [kv]);
      const live = decodeToStore(view, kv);
      checkPreconditions(view.definition, live, options.preconditions);
      admitAll(this.#deps.admission, {
        operation: "DELETE",
        view,
        subresource: "",
        namespace,
        name,
        object: undefined,
        oldObject: live,
        context,
      });
      const next = markForDeletion(view, live, options, context);
      try {
        if (next === undefined) {
          if (!context.dryRun)
            await commitOne(this.#deps.store, { type: "delete", key: kv.key, ifModRevision: kv.modRevision });
          return { type: "deleted", last: live };
        }
        const how = { dryRun: context.dryRun, custom: view.definition.custom };
        const result = await commitObject(this.#deps.store, kv, next, how);
        return { type: "marked", result: await readyToShow(view, result) };
      } catch (error) {
        if (!lostRace(error)) throw toStatusError(error, view.definition, name);
      }
    }
  }

  async #createOnce({ view, namespace, object, context, track }: CreateInput): Promise<ObjectResult> {
    const { store, admission } = this.#deps;
    const { definition } = view;
    placeInNamespace(view, object, namespace);
    if (definition.terminating) throw forbidden(definition, object.metadata.name ?? "", TERMINATING);
    const { resourceVersion } = object.metadata;
    delete object.metadata.resourceVersion;
    admitAll(admission, {
      operation: "CREATE",
      view,
      subresource: "",
      namespace,
      name: object.metadata.name ?? "",
      object,
      oldObject: undefined,
      context,
    });
    dropSystemFields(object);
    const tracked = track ? track(object) : object;
    prepareForCreate(view, tracked, context);
    validateNew(view, tracked, context);
    refuseResourceVersion(resourceVersion);
    const name = tracked.metadata.name ?? "";
    const key = objectKey(definition, namespace, name);
    const taken = store.get(key);
    if (taken !== undefined) throw nameTaken(view, taken, name);
    const stored = await toStoredForm(view, tracked);
    if (context.dryRun) return readyToShow(view, { type: "bare", object: stored });
    try {
      const revision = await commitOne(store, {
        type: "create",
        key,
        value: encodeStored(stored, definition.custom),
      });
      return readyToShow(view, { type: "stored", kv: readBack(store, key, revision) });
    } catch (error) {
      throw toStatusError(error, definition, name);
    }
  }
}

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

/** The object as it stays behind a DELETE; undefined when nothing holds it. */
function markForDeletion(
  view: ResourceView,
  live: Readonly<KubeObject>,
  options: DeleteOptions,
  context: RequestContext,
): KubeObject | undefined {
  const strategy = strategyOf(view);
  const finalizers = finalizersForDeletion(live, options);
  if (live.metadata.deletionTimestamp === undefined) {
    for (const own of strategy.finalizersOnDelete ?? []) if (!finalizers.includes(own)) finalizers.push(own);
  }
  const held = finalizers.length > 0 || strategy.holdsDeletion?.(live) === true;
  if (!held) return undefined;
  const next: KubeObject = cloneJson(live);
  const { metadata } = next;
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
  if (metadata.deletionTimestamp === undefined) {
    metadata.deletionTimestamp = formatTime(context.clock.now());
    metadata.deletionGracePeriodSeconds = 0;
    if (metadata.generation !== undefined && metadata.generation > 0) metadata.generation += 1;
    strategy.prepareForDelete?.(next, context);
  }
  return next;
}
