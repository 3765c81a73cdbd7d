// Owner references and deletion state, decoded from a stored value on access. A controller that follows all objects of
// the server holds one view for each: a reference to the stored value, without a decoded copy.
import type { KubeObject, ObjectMeta } from "../../../apimachinery/meta/object-meta.ts";
import type { KeyValue } from "../../../storage/store.ts";
import { peekStored, RawValue, uidOf } from "./object-codec.ts";

const OWNERSHIP = [
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "deletionTimestamp",
  "finalizers",
  "ownerReferences",
] as const;

/** An object without one of these members is fully described by its key. */
const TELLING = ['"deletionTimestamp":', '"finalizers":', '"ownerReferences":'].map((text) =>
  Buffer.from(text),
);

/** The stored object, reduced to the metadata members that OWNERSHIP names. */
export class OwnershipView implements KubeObject {
  [field: string]: unknown;
  readonly #kv: KeyValue;
  readonly #namespaced: boolean;

  constructor(kv: KeyValue, namespaced: boolean) {
    this.#kv = kv;
    this.#namespaced = namespaced;
  }

  get metadata(): ObjectMeta {
    return ownershipIn(this.#kv, this.#namespaced);
  }
}

/** The same as a plain value. */
export function ownershipOf(kv: KeyValue, namespaced: boolean): ObjectMeta {
  const ownership = ownershipIn(kv, namespaced);
  const found: Record<string, unknown> = {};
  for (const key of OWNERSHIP) if (ownership[key] !== undefined) found[key] = ownership[key];
  return found;
}

const ownershipIn = (kv: KeyValue, namespaced: boolean): ObjectMeta =>
  new Ownership(kv, namespaced) as ObjectMeta; // absent members are undefined

/** Decoded metadata of objects with one of these members. Several states of the same cluster, such as plans, share it. */
const told = new WeakMap<KeyValue, ObjectMeta>();

class Ownership {
  readonly #kv: KeyValue;
  readonly #namespaced: boolean;
  /** null: the key describes the object fully; undefined: not decoded yet. */
  #told: ObjectMeta | null | undefined;

  constructor(kv: KeyValue, namespaced: boolean) {
    this.#kv = kv;
    this.#namespaced = namespaced;
  }

  /** Last segment of the key. */
  get name(): string {
    const { key } = this.#kv;
    return key.slice(key.lastIndexOf("/") + 1);
  }

  /** Last segment but one of the key. */
  get namespace(): string | undefined {
    if (!this.#namespaced) return undefined;
    const { key } = this.#kv;
    const cut = key.lastIndexOf("/");
    return key.slice(key.lastIndexOf("/", cut - 1) + 1, cut);
  }

  get uid(): string | undefined {
    return isStanding(this.#kv) ? this.#tale?.uid : (uidOf(this.#kv) ?? this.#tale?.uid);
  }

  get resourceVersion(): string {
    return String(this.#kv.modRevision);
  }

  get deletionTimestamp() {
    return this.#tale?.deletionTimestamp;
  }

  get finalizers() {
    return this.#tale?.finalizers;
  }

  get ownerReferences() {
    return this.#tale?.ownerReferences;
  }

  get #tale(): ObjectMeta | null {
    if (this.#told === undefined) this.#told = taleOf(this.#kv);
    return this.#told;
  }
}

/** The value holds its object, so that its bytes need not be encoded. */
const isStanding = (kv: KeyValue): kv is RawValue => kv instanceof RawValue;

function taleOf(kv: KeyValue): ObjectMeta | null {
  if (isStanding(kv)) return kv.object.metadata;
  const known = told.get(kv);
  if (known !== undefined) return known;
  if (uidOf(kv) !== undefined && !isTelling(kv)) return null;
  const { uid, deletionTimestamp, finalizers, ownerReferences } = peekStored(kv).metadata;
  const tale = { uid, deletionTimestamp, finalizers, ownerReferences } as ObjectMeta; // absent members are undefined
  told.set(kv, tale);
  return tale;
}

function isTelling({ value: { buffer, byteOffset, length } }: KeyValue): boolean {
  const bytes = Buffer.from(buffer, byteOffset, length);
  return TELLING.some((member) => bytes.includes(member));
}
