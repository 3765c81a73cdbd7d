// Preparation of each object before validation and commit: namespace from the URL, system fields, the strategy's prepare
// methods, generation. The order is that of rest.BeforeCreate and rest.BeforeUpdate upstream.

import { cloneJson, equalJson } from "../../../apimachinery/json/json.ts";
import { encodeJson } from "../../../apimachinery/json/json-encode.ts";
import { formatTime } from "../../../apimachinery/meta/clock.ts";
import { type KubeObject, nextGeneration } from "../../../apimachinery/meta/object-meta.ts";
import { badRequest } from "../../../apimachinery/meta/status.ts";
import type { KeyValue, KeyValueReader, TxnOp } from "../../../storage/store.ts";
import { decodeStored, encodeStored, memberOrder } from "../codec/object-codec.ts";
import type { RequestContext } from "../definition/request-context.ts";
import type {
  Allocations,
  ResourceDefinition,
  ResourceView,
  Strategy,
} from "../definition/resource-definition.ts";
import { collectionRange, objectKey, storageView, strategyOf } from "../definition/view.ts";
import { endpointOf, trackCreateAtOnce, trackWriteAtOnce } from "./managed-fields.ts";

const GENERATED_NAME_MAX = 63;
const SUFFIX_LENGTH = 5;

/** The namespace in the body must be that of the URL; in a cluster-scoped object it is dropped. */
export function placeInNamespace(view: ResourceView, object: KubeObject, namespace: string): void {
  const { metadata } = object;
  if (!view.definition.namespaceScoped) {
    delete metadata.namespace;
    return;
  }
  if (metadata.namespace !== undefined && metadata.namespace !== "" && metadata.namespace !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  metadata.namespace = namespace;
}

/** Throws 400 when the name in the body differs from that of the URL. */
export function checkNameMatches(object: KubeObject, name: string): void {
  const given = object.metadata.name ?? "";
  if (given === "") {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (given !== name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  }
}

/** System fields are neither accepted from nor owned by a client. */
export function dropSystemFields({ metadata }: KubeObject): void {
  delete metadata.uid;
  delete metadata.creationTimestamp;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

/** Sets the system fields of a new object and, if claims are given, its allocations. managedFields are not changed. */
export function prepareForCreate(
  view: ResourceView,
  object: KubeObject,
  context: RequestContext,
  claims?: Allocations,
): void {
  const strategy = strategyOf(view);
  const { metadata } = object;
  if ((metadata.name ?? "") === "" && metadata.generateName) {
    metadata.name =
      metadata.generateName.slice(0, GENERATED_NAME_MAX - SUFFIX_LENGTH) + context.ids.nameSuffix();
  }
  delete metadata.selfLink; // a webhook may have set it
  metadata.uid = context.ids.uid();
  metadata.creationTimestamp = formatTime(context.clock.now());
  if (claims) strategy.claim?.(object, undefined, claims);
  strategy.prepareForCreate?.(object, context);
  if (strategy.hasGeneration) metadata.generation = 1;
}

/**
 * Carries over immutable system fields, then runs prepareForUpdate of the endpoint's strategy. Allocations come from the
 * claims.
 */
export function prepareForUpdate(
  view: ResourceView,
  strategy: Strategy,
  object: KubeObject,
  old: Readonly<KubeObject>,
  context: RequestContext,
  claims?: Allocations,
): void {
  const { metadata } = object;
  const before = old.metadata;
  delete metadata.selfLink;
  if (!metadata.uid && before.uid) metadata.uid = before.uid;
  if (before.creationTimestamp) metadata.creationTimestamp = before.creationTimestamp;
  if (before.deletionTimestamp) metadata.deletionTimestamp = before.deletionTimestamp;
  if (before.deletionGracePeriodSeconds !== undefined && metadata.deletionGracePeriodSeconds === undefined) {
    metadata.deletionGracePeriodSeconds = before.deletionGracePeriodSeconds;
  }
  if (before.generation === undefined) delete metadata.generation;
  else metadata.generation = before.generation;
  if (claims) strategy.claim?.(object, old, claims);
  strategy.prepareForUpdate?.(object, old, context);
  if (strategyOf(view).hasGeneration && contentChanged(view, object, old)) {
    metadata.generation = nextGeneration(before.generation ?? 0);
  }
}

/** The generation counts changes outside metadata, and outside status where the kind has a status endpoint. */
function contentChanged(view: ResourceView, object: KubeObject, old: Readonly<KubeObject>): boolean {
  const ignored = (key: string) =>
    key === "metadata" || (key === "status" && view.version.status !== undefined);
  const keys = new Set([...Object.keys(object), ...Object.keys(old)]);
  for (const key of keys) if (!ignored(key) && !equalJson(object[key], old[key])) return true;
  return false;
}

// Duplicate owner references: upstream drops them since 1.20 and returns a warning.
const SEEN = {
  request: "contains duplicate entries",
  admission: "contains duplicate entries after mutating admission happens",
};
const ADVICE =
  "API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests";

/** Of identical references the first one stays. References to one uid that differ in another member all stay. */
export function dropRepeatedOwners(
  { metadata }: KubeObject,
  context: RequestContext,
  seenIn: keyof typeof SEEN,
): void {
  const references = metadata.ownerReferences ?? [];
  if (references.length < 2) return;
  const seen = new Set<string>();
  const repeated: string[] = [];
  const kept = references.filter((reference) => {
    const text = encodeJson(reference);
    if (seen.has(text)) repeated.push(reference.uid);
    return seen.size < seen.add(text).size;
  });
  if (repeated.length === 0) return;
  metadata.ownerReferences = kept;
  const uids = repeated.join(", ");
  context.warn(`.metadata.ownerReferences ${SEEN[seenIn]}; ${ADVICE}; duplicate UID(s) observed: ${uids}`);
}

// Allocation of exclusive values (a cluster IP, a node port), and objects that are created and removed with another one.
// They are committed in one transaction with the object that needs them. Of two writers that take the same value, one
// fails with a conflict and retries its whole write.

/** Field manager of objects that the server creates itself. */
const SERVER_MANAGER = "kube-apiserver";

export class WriteClaims implements Allocations {
  readonly #store: KeyValueReader;
  readonly #context: RequestContext;
  readonly #ops = new Map<string, TxnOp>();

  constructor(store: KeyValueReader, context: RequestContext) {
    this.#store = store;
    this.#context = context;
  }

  get dryRun(): boolean {
    return this.#context.dryRun;
  }

  /** Operations to commit with the object. */
  get ops(): readonly TxnOp[] {
    return [...this.#ops.values()];
  }

  random(limit: bigint): bigint {
    return BigInt(`0x${this.#context.ids.uid().replace(/-/g, "")}`) % limit;
  }

  isTaken(key: string): boolean {
    const op = this.#ops.get(key);
    return op === undefined ? this.#store.get(key) !== undefined : op.type !== "delete";
  }

  take(key: string, value: Uint8Array): void {
    const before = this.#store.get(key);
    const ifModRevision = before?.modRevision;
    this.#ops.set(
      key,
      ifModRevision === undefined
        ? { type: "create", key, value }
        : { type: "update", key, value, ifModRevision },
    );
  }

  giveBack(key: string): void {
    const before = this.#store.get(key);
    if (before === undefined) this.#ops.delete(key);
    else this.#ops.set(key, { type: "delete", key, ifModRevision: before.modRevision });
  }

  hasObject(definition: ResourceDefinition, namespace: string, name: string): boolean {
    return this.isTaken(objectKey(definition, namespace, name));
  }

  makeObject(definition: ResourceDefinition, object: KubeObject): void {
    const view = storageView(definition);
    const context = { ...this.#context, fieldManager: SERVER_MANAGER };
    const made = trackCreateAtOnce(view, object, context);
    prepareForCreate(view, made, context);
    const { namespace = "", name = "" } = made.metadata;
    this.take(objectKey(definition, namespace, name), encodeStored(made, memberOrder(view)));
  }

  removeObject(definition: ResourceDefinition, namespace: string, name: string): void {
    this.giveBack(objectKey(definition, namespace, name));
  }

  changeObject(definition: ResourceDefinition, live: KeyValue, next: KubeObject, subresource: string): void {
    const view = storageView(definition);
    const context = { ...this.#context, fieldManager: SERVER_MANAGER };
    const owned = trackWriteAtOnce({
      endpoint: endpointOf(view, subresource),
      live: decodeStored(live),
      next,
      context,
    });
    const value = encodeStored(owned, memberOrder(view));
    this.#ops.set(live.key, { type: "update", key: live.key, value, ifModRevision: live.modRevision });
  }

  forget(key: string): void {
    this.#ops.delete(key);
  }

  list(definition: ResourceDefinition): KubeObject[] {
    return this.#store.list(collectionRange(definition, "")).items.map((kv) => cloneJson(decodeStored(kv)));
  }
}
