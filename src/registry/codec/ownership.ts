// What ownership is decided by, read from a stored value when it is asked for. Whoever follows every object of the server
// holds a view of each: a reference to the value that the store holds anyway, and nothing that was decoded from it.
import type { KubeObject, ObjectMeta } from "../../meta/object-meta.ts";
import type { KeyValue } from "../../storage/store.ts";
import { peekStored, StandingValue, uidOf } from "./object-codec.ts";

const OWNERSHIP = [
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "deletionTimestamp",
  "finalizers",
  "ownerReferences",
] as const;

/** An object with one of them has more to tell than its name. */
const TELLING = ['"deletionTimestamp":', '"finalizers":', '"ownerReferences":'].map((text) =>
  Buffer.from(text),
);

/** The stored object with nothing but the members of its metadata that OWNERSHIP names. */
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
  new Ownership(kv, namespaced) as ObjectMeta; // what is missing is undefined

/** Of those that have more to tell: several states may share it, as plans do that are made of the same cluster. */
const told = new WeakMap<KeyValue, ObjectMeta>();

class Ownership {
  readonly #kv: KeyValue;
  readonly #namespaced: boolean;
  /** null: it has not more to tell than its name; undefined: nobody has looked yet. */
  #told: ObjectMeta | null | undefined;

  constructor(kv: KeyValue, namespaced: boolean) {
    this.#kv = kv;
    this.#namespaced = namespaced;
  }

  /** The last part of the key. */
  get name(): string {
    const { key } = this.#kv;
    return key.slice(key.lastIndexOf("/") + 1);
  }

  /** The last but one. */
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

/** It is an object already: its bytes need not be made to look into them. */
const isStanding = (kv: KeyValue): kv is StandingValue => kv instanceof StandingValue;

function taleOf(kv: KeyValue): ObjectMeta | null {
  if (isStanding(kv)) return kv.object.metadata;
  const known = told.get(kv);
  if (known !== undefined) return known;
  if (uidOf(kv) !== undefined && !isTelling(kv)) return null;
  const { uid, deletionTimestamp, finalizers, ownerReferences } = peekStored(kv).metadata;
  const tale = { uid, deletionTimestamp, finalizers, ownerReferences } as ObjectMeta; // what is missing is undefined
  told.set(kv, tale);
  return tale;
}

function isTelling({ value: { buffer, byteOffset, length } }: KeyValue): boolean {
  const bytes = Buffer.from(buffer, byteOffset, length);
  return TELLING.some((member) => bytes.includes(member));
}
