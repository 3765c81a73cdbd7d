// What happens to every object before it is validated and committed, whatever its kind: it is put where the URL says,
// system fields are set or carried over, the strategy prepares it or takes back what the endpoint may not change, the
// generation counts. The order is that of rest.BeforeCreate and rest.BeforeUpdate in a real server.
import { formatTime } from "../../meta/clock.ts";
import { cloneJson, equalJson } from "../../meta/json.ts";
import { encodeJson } from "../../meta/json-encode.ts";
import { type KubeObject, nextGeneration } from "../../meta/object-meta.ts";
import { badRequest } from "../../meta/status.ts";
import type { KeyValue, Store, TxnOp } from "../../storage/store.ts";
import { decodeStored, encodeStored, memberOrder } from "../codec/object-codec.ts";
import type { RequestContext } from "../definition/request-context.ts";
import type {
  Claims,
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

/** Throws 400 when the object is not the one that the URL names. */
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

/** What only the server may say is not taken from a client, nor owned by one. */
export function dropSystemFields({ metadata }: KubeObject): void {
  delete metadata.uid;
  delete metadata.creationTimestamp;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

/**
 * Sets what only the server may say about a new object, and takes what only one object can have, if claims are given.
 * managedFields are not touched here.
 */
export function prepareForCreate(
  view: ResourceView,
  object: KubeObject,
  context: RequestContext,
  claims?: Claims,
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
 * Carries over what no client can change, then lets the strategy of the endpoint do the same for its kind. What only one
 * object can have is taken from the claims.
 */
export function prepareForUpdate(
  view: ResourceView,
  strategy: Strategy,
  object: KubeObject,
  old: Readonly<KubeObject>,
  context: RequestContext,
  claims?: Claims,
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

/** The generation counts changes outside metadata, and outside status where that has an endpoint of its own. */
function contentChanged(view: ResourceView, object: KubeObject, old: Readonly<KubeObject>): boolean {
  const ignored = (key: string) =>
    key === "metadata" || (key === "status" && view.version.status !== undefined);
  const keys = new Set([...Object.keys(object), ...Object.keys(old)]);
  for (const key of keys) if (!ignored(key) && !equalJson(object[key], old[key])) return true;
  return false;
}

// Owners that are named twice: a real server has dropped such entries since 1.20, and warns about them.
const SEEN = {
  request: "contains duplicate entries",
  admission: "contains duplicate entries after mutating admission happens",
};
const ADVICE =
  "API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests";

/** Of references that are wholly equal the first one stays. References to one uid that differ in anything else all stay. */
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

// What only one object can have at a time (a cluster IP, a node port), and objects that come and go with another one.
// They are committed in one transaction with the object that needs them: two writers who want the same thing collide in
// the store, and the loser starts his whole write over.

/** The field manager of objects that the server makes itself. */
const SERVER_MANAGER = "kube-apiserver";

export class WriteClaims implements Claims {
  readonly #store: Store;
  readonly #context: RequestContext;
  readonly #ops = new Map<string, TxnOp>();

  constructor(store: Store, context: RequestContext) {
    this.#store = store;
    this.#context = context;
  }

  get dryRun(): boolean {
    return this.#context.dryRun;
  }

  /** What has to be committed with the object. */
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
