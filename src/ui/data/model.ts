// All that a tab knows of the cluster: the objects by uid and by name, and who is to be found where. It changes in place, by what
// the feed tells, and says what that touched; nothing is looked through for it.
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

/** Of each kind the objects that are not as they were, by uid, with what they were; undefined: they were not there. */
export type Touched = { readonly [K in Kind]: ReadonlyMap<string, Records[K] | undefined> };

/** Records by something that is read from them. */
export class Index<R extends ObjectRecord> {
  readonly #keysOf: (record: R) => Iterable<string>;
  readonly #found = new Map<string, Set<R>>();

  constructor(keysOf: (record: R) => Iterable<string>) {
    this.#keysOf = keysOf;
  }

  /** In no order that means anything. */
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

/** The objects of a kind. */
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

  /** Of what has no namespace the name alone. */
  named(name: string, namespace = ""): R | undefined {
    return this.#byName.get(`${namespace}/${name}`);
  }

  values(): Iterable<R> {
    return this.#byUid.values();
  }

  /** Answers with what was there before. */
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

  /** The name may be another's by now, who came before this one was known to have gone. */
  #forget(record: R): void {
    const name = nameOf(record);
    if (this.#byName.get(name) === record) this.#byName.delete(name);
  }
}

const nameOf = ({ namespace, name }: ObjectRecord): string => `${namespace}/${name}`;

/** As an index holds a label: under its key, and under its key and value. */
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
  /** By the addresses that they ask for. */
  readonly egressIpsByAddress = new Index<EgressIpRecord>(({ addresses }) => addresses);
  /** By the nodes that hold their addresses. */
  readonly egressIpsByNode = new Index<EgressIpRecord>(
    ({ assigned }) => new Set(assigned.map(({ node }) => node)),
  );
  /** By labelKey, and by the keys of labels alone. */
  readonly namespacesByLabel = new Index<NamespaceRecord>(labelKeys);
  readonly egressServicesByHost = new Index<EgressServiceRecord>(({ host }) => [host]);

  readonly namespaces = new Table<NamespaceRecord>(this.namespacesByLabel);
  readonly nodes = new Table<NodeRecord>();
  readonly pods = new Table<PodRecord>(this.podsByNamespace, this.podsByNode);
  readonly services = new Table<ServiceRecord>();
  readonly egressips = new Table<EgressIpRecord>(this.egressIpsByAddress, this.egressIpsByNode);
  readonly egressservices = new Table<EgressServiceRecord>(this.egressServicesByHost);
  readonly cloudprivateipconfigs = new Table<CloudRequestRecord>();

  /** Takes the changes in, in their order. With isAnew they are all there is: what they do not name has gone. */
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
    // A change says the kind and a record of that kind.
    const table = this[kind] as unknown as Table<ObjectRecord>;
    const before = table.put(uid, record);
    if (before !== record && !touched[kind].has(uid)) touched[kind].set(uid, before);
  }
}

type TouchedSoFar = { readonly [K in Kind]: Map<string, ObjectRecord | undefined> };

const nothingTouched = () =>
  Object.fromEntries(KINDS.map((kind) => [kind, new Map()])) as TouchedSoFar & Touched;
