// The model: all cluster objects of a tab, indexed by uid, by name and by the attributes that views look up. It changes
// in place by the changes of the feed. apply() reports what changed, without scanning the tables.
import {
  type Change,
  type CloudRequestRecord,
  type EgressIpRecord,
  type EgressServiceRecord,
  KINDS,
  type Kind,
  type Labels,
  type NamespaceRecord,
  type NodeRecord,
  type ObjectRecord,
  type PodRecord,
  type Records,
  type ServiceRecord,
} from "./records.ts";

/** Changed objects of each kind, by uid, with the previous record; undefined: the object was created. */
export type Touched = { readonly [K in Kind]: ReadonlyMap<string, Records[K] | undefined> };

/** Index of records by keys that a function derives from them. */
export class Index<R extends ObjectRecord> {
  readonly #keysOf: (record: R) => Iterable<string>;
  readonly #found = new Map<string, Set<R>>();

  constructor(keysOf: (record: R) => Iterable<string>) {
    this.#keysOf = keysOf;
  }

  /** In no defined order. */
  at(key: string): ReadonlySet<R> {
    return this.#found.get(key) ?? NOBODY;
  }

  keys(): Iterable<string> {
    return this.#found.keys();
  }

  replace(before: R | undefined, after: R | undefined): void {
    if (before) for (const key of this.#keysOf(before)) this.#remove(key, before);
    if (!after) return;
    for (const key of this.#keysOf(after)) {
      const found = this.#found.get(key);
      if (found) found.add(after);
      else this.#found.set(key, new Set([after]));
    }
  }

  #remove(key: string, record: R): void {
    const found = this.#found.get(key);
    if (found?.delete(record) && found.size === 0) this.#found.delete(key);
  }
}

const NOBODY: ReadonlySet<never> = new Set();

export class Table<R extends ObjectRecord> {
  readonly #byUid = new Map<string, R>();
  readonly #byName = new Map<string, R>();
  readonly #indexes: readonly Index<R>[];

  constructor(...indexes: readonly Index<R>[]) {
    this.#indexes = indexes;
  }

  get size(): number {
    return this.#byUid.size;
  }

  get(uid: string): R | undefined {
    return this.#byUid.get(uid);
  }

  /** For cluster-scoped objects the name is enough. */
  named(name: string, namespace = ""): R | undefined {
    return this.#byName.get(`${namespace}/${name}`);
  }

  values(): Iterable<R> {
    return this.#byUid.values();
  }

  /** Stores the record, or removes it when undefined. Returns the previous record. */
  put(uid: string, after: R | undefined): R | undefined {
    const before = this.#byUid.get(uid);
    if (before) this.#forget(before);
    if (after) {
      this.#byUid.set(uid, after);
      this.#byName.set(nameOf(after), after);
    } else this.#byUid.delete(uid);
    for (const index of this.#indexes) index.replace(before, after);
    return before;
  }

  /** Another object may hold the name already, when its ADDED event came before this object's DELETED event. */
  #forget(record: R): void {
    const name = nameOf(record);
    if (this.#byName.get(name) === record) this.#byName.delete(name);
  }
}

const nameOf = ({ namespace, name }: ObjectRecord): string => `${namespace}/${name}`;

/** Index key of a label with its value. Labels are also indexed by their key alone. */
export const labelKey = (key: string, value: string): string => `${key}=${value}`;

function* labelKeys({ labels }: { readonly labels: Labels }): Iterable<string> {
  for (const [key, value] of Object.entries(labels)) {
    yield key;
    yield labelKey(key, value);
  }
}

export class Model {
  readonly podsByNamespace = new Index<PodRecord>(({ namespace }) => [namespace]);
  readonly podsByNode = new Index<PodRecord>(({ node }) => [node]);
  /** By the requested addresses. */
  readonly egressIpsByAddress = new Index<EgressIpRecord>(({ addresses }) => addresses);
  /** By the nodes of the assigned addresses. */
  readonly egressIpsByNode = new Index<EgressIpRecord>(
    ({ assigned }) => new Set(assigned.map(({ node }) => node)),
  );
  /** By labelKey, and by the label key alone. */
  readonly namespacesByLabel = new Index<NamespaceRecord>(labelKeys);
  readonly egressServicesByHost = new Index<EgressServiceRecord>(({ host }) => [host]);

  readonly namespaces = new Table<NamespaceRecord>(this.namespacesByLabel);
  readonly nodes = new Table<NodeRecord>();
  readonly pods = new Table<PodRecord>(this.podsByNamespace, this.podsByNode);
  readonly services = new Table<ServiceRecord>();
  readonly egressips = new Table<EgressIpRecord>(this.egressIpsByAddress, this.egressIpsByNode);
  readonly egressservices = new Table<EgressServiceRecord>(this.egressServicesByHost);
  readonly cloudprivateipconfigs = new Table<CloudRequestRecord>();

  /** Applies changes in order. With isAnew they are the complete state: objects that they do not name are removed. */
  apply(changes: readonly Change[], isAnew = false): Touched {
    const touched = nothingTouched();
    if (isAnew) this.#forgetAllBut(changes, touched);
    for (const { kind, uid, record } of changes) this.#put(kind, uid, record, touched);
    return touched;
  }

  #forgetAllBut(changes: readonly Change[], touched: TouchedSoFar): void {
    const named = new Set(changes.map(({ uid }) => uid));
    for (const kind of KINDS) {
      const gone = [...this[kind].values()].filter(({ uid }) => !named.has(uid));
      for (const { uid } of gone) this.#put(kind, uid, undefined, touched);
    }
  }

  #put(kind: Kind, uid: string, record: ObjectRecord | undefined, touched: TouchedSoFar): void {
    // `kind` and `record` of a Change always belong together.
    const table = this[kind] as unknown as Table<ObjectRecord>;
    const before = table.put(uid, record);
    if (before !== record && !touched[kind].has(uid)) touched[kind].set(uid, before);
  }
}

type TouchedSoFar = { readonly [K in Kind]: Map<string, ObjectRecord | undefined> };

const nothingTouched = () =>
  Object.fromEntries(KINDS.map((kind) => [kind, new Map()])) as TouchedSoFar & Touched;
