// What only one object can have at a time (a cluster IP, a node port), and objects that come and go with another one.
// They are committed in one transaction with the object that needs them: two writers who want the same thing collide in
// the store, and the loser starts his whole write over.
import { cloneJson } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Store, TxnOp } from "../../storage/store.ts";
import { decodeStored, encodeStored, memberOrder } from "../codec/object-codec.ts";
import type { RequestContext } from "../definition/request-context.ts";
import type { Claims, ResourceDefinition } from "../definition/resource-definition.ts";
import { collectionRange, objectKey, storageView } from "../definition/view.ts";
import { trackCreate } from "./managed-fields.ts";
import { prepareForCreate } from "./prepare.ts";

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
    const made = trackCreate(view, object, context);
    prepareForCreate(view, made, context);
    const { namespace = "", name = "" } = made.metadata;
    this.take(objectKey(definition, namespace, name), encodeStored(made, memberOrder(view)));
  }

  removeObject(definition: ResourceDefinition, namespace: string, name: string): void {
    this.giveBack(objectKey(definition, namespace, name));
  }

  list(definition: ResourceDefinition): KubeObject[] {
    return this.#store.list(collectionRange(definition, "")).items.map((kv) => cloneJson(decodeStored(kv)));
  }
}
