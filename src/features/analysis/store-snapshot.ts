// Stored objects as verdicts read them. Decoded and derived values are cached while they are current.
import { leading, unlike } from "../../apimachinery/meta/lists.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { Revision } from "../../apimachinery/meta/revision.ts";
import { describeResource } from "../../apimachinery/meta/status.ts";
import { type Coroutine, runSync } from "../../apimachinery/scheduling/coroutine.ts";
import { decodeLean } from "../../apiserver/registry/codec/versions.ts";
import type { ResourceView } from "../../apiserver/registry/definition/resource-definition.ts";
import { collectionRange, objectKey } from "../../apiserver/registry/definition/view.ts";
import type { ResourceRegistry } from "../../apiserver/registry/resource-registry.ts";
import { Cluster } from "../../ovn/cluster/cluster.ts";
import { Indexes } from "../../ovn/cluster/object-index.ts";
import { NEEDED_KINDS } from "../../ovn/needed-kinds.ts";
import { type ClusterFacts, DEFAULT_FACTS, type Snapshot } from "../../ovn/snapshot.ts";
import type { KeyValue, KeyValueReader } from "../../storage/store.ts";
import { keptRevision } from "../control-surface/revisions.ts";

/** Facts about the cluster that no object states and a request may supply. */
export type GivenFacts = Partial<
  Pick<
    ClusterFacts,
    | "gatewayMode"
    | "disableSnatMultipleGateways"
    | "transport"
    | "outboundSnat"
    | "advertisedIsolation"
    | "dnsNameResolver"
    | "names"
    | "tables"
  >
>;

/** The cluster of a request: now, or at a revision. */
export interface AskedCluster extends GivenFacts {
  readonly at?: number;
}

export interface StoreSnapshotDeps {
  readonly store: KeyValueReader;
  readonly registry: ResourceRegistry;
}

/** The view of a resource by its name with the group: "egressips.k8s.ovn.org". */
function viewOf(registry: ResourceRegistry, resource: string): ResourceView | undefined {
  const dot = resource.indexOf(".");
  return dot < 0
    ? registry.findStorage("", resource)
    : registry.findStorage(resource.slice(dot + 1), resource.slice(0, dot));
}

/** The store's contents at a revision. */
function storeSnapshot({ store, registry }: StoreSnapshotDeps, at: Revision): Snapshot {
  return {
    list(resource, namespace = "") {
      const view = viewOf(registry, resource);
      if (view === undefined) return [];
      const range = collectionRange(view.definition, namespace);
      return store.list(range, { at }).items.map((kv) => decodeLean(view, kv));
    },
    get(resource, namespace, name) {
      const view = viewOf(registry, resource);
      const kv = view && store.get(objectKey(view.definition, namespace, name), at);
      return view && kv && decodeLean(view, kv);
    },
  };
}

interface Decoded {
  readonly items: readonly KeyValue[];
  readonly objects: readonly KubeObject[];
}

/** The objects of a kind at one revision, decoded on first access. */
class KindNow {
  readonly view: ResourceView;
  readonly #items: readonly KeyValue[];
  #objects: readonly KubeObject[] | undefined;
  /** The last decoded earlier state, whose unchanged objects are reused. */
  #before: Decoded | undefined;

  /** Returns the same instance if nothing has changed. */
  static after(before: KindNow | undefined, view: ResourceView, items: readonly KeyValue[]): KindNow {
    // Another definition decodes the same bytes differently.
    if (before?.view.definition !== view.definition) return new KindNow(view, items, undefined);
    const isSame =
      before.#items.length === items.length && unlike(before.#items, items).start === items.length;
    return isSame ? before : new KindNow(view, items, before.#decoded);
  }

  private constructor(view: ResourceView, items: readonly KeyValue[], before: Decoded | undefined) {
    this.view = view;
    this.#items = items;
    this.#before = before;
  }

  get objects(): readonly KubeObject[] {
    return this.#objects ?? runSync(this.read());
  }

  *read(): Coroutine<readonly KubeObject[]> {
    if (this.#objects) return this.#objects;
    const { items, objects } = this.#before ?? { items: [], objects: [] };
    const { start, end } = unlike(items, this.#items);
    const changed: KubeObject[] = [];
    for (const kv of this.#items.slice(start, this.#items.length - end)) {
      changed.push(decodeLean(this.view, kv));
      yield;
    }
    this.#objects ??= objects.slice(0, start).concat(changed, objects.slice(objects.length - end));
    this.#before = undefined;
    return this.#objects;
  }

  get #decoded(): Decoded | undefined {
    return this.#objects ? { items: this.#items, objects: this.#objects } : this.#before;
  }

  ofNamespace(namespace: string): KubeObject[] {
    const { from, to } = collectionRange(this.view.definition, namespace);
    const [start, end] = [from, to].map((limit) => leading(this.#items, ({ key }) => key < limit));
    return this.#items.slice(start, end).map((kv) => decodeLean(this.view, kv));
  }

  get(namespace: string, name: string): KubeObject | undefined {
    const wanted = objectKey(this.view.definition, namespace, name);
    const kv = this.#items[leading(this.#items, ({ key }) => key < wanted)];
    return kv?.key === wanted ? decodeLean(this.view, kv) : undefined;
  }
}

/** The resources that are read: plans report new Events, too. */
const RESOURCES = [...NEEDED_KINDS.map(describeResource), "events"];

/** The successive cluster states of a store; unchanged parts are neither decoded nor derived again. */
export class StoreClusters {
  readonly #deps: StoreSnapshotDeps;
  readonly #indexes = new Indexes();
  #kinds: ReadonlyMap<string, KindNow> = new Map();

  constructor(deps: StoreSnapshotDeps) {
    this.#deps = deps;
  }

  /** The cluster now, independent of later writes: requests are processed with yielding. */
  now(facts: ClusterFacts): Cluster {
    return this.at(this.#deps.store.revision, facts);
  }

  /** The cluster at a revision. Throws for a compacted revision. */
  at(revision: Revision, facts: ClusterFacts): Cluster {
    const kinds = new Map<string, KindNow>();
    for (const resource of RESOURCES) {
      const view = viewOf(this.#deps.registry, resource);
      if (!view) continue;
      const { items } = this.#deps.store.list(collectionRange(view.definition, ""), { at: revision });
      kinds.set(resource, KindNow.after(this.#kinds.get(resource), view, items));
    }
    this.#kinds = kinds;
    return new Cluster(snapshotOfKinds(kinds), facts, this.#indexes);
  }
}

const snapshotOfKinds = (kinds: ReadonlyMap<string, KindNow>): Snapshot => ({
  list(resource, namespace = "") {
    const known = kinds.get(resource);
    return (namespace === "" ? known?.objects : known?.ofNamespace(namespace)) ?? [];
  },
  get: (resource, namespace, name) => kinds.get(resource)?.get(namespace, name),
  *readAhead() {
    for (const kind of kinds.values()) yield* kind.read();
  },
});

/** The cluster at a revision. */
export const clusterAt = (deps: StoreSnapshotDeps, facts: Partial<ClusterFacts>, at: Revision): Cluster =>
  new Cluster(storeSnapshot(deps, at), { ...DEFAULT_FACTS, ...facts, held: undefined });

/**
 * The cluster now or at a revision, with the given facts. Throws a 400 for a revision beyond the newest, and a 410 for
 * a compacted one.
 */
export function clustersOf(
  deps: StoreSnapshotDeps,
  { facts, held }: { readonly facts: Partial<ClusterFacts>; readonly held: () => ClusterFacts["held"] },
): (asked: AskedCluster) => Cluster {
  const { store } = deps;
  const present = new StoreClusters(deps);
  // Requests about the past often repeat a revision, and then use a near one.
  const past = new StoreClusters(deps);
  let last: { readonly key: string; readonly cluster: Cluster } | undefined;
  return ({ at, ...given }) => {
    const revision = at === undefined ? undefined : keptRevision(store, at);
    const key = `${at ?? `now ${store.revision}`} ${JSON.stringify(given)}`;
    if (last?.key === key) return last.cluster;
    const known = { ...DEFAULT_FACTS, ...facts, ...given };
    // The controllers' current allocations are not valid for a past revision.
    const cluster =
      revision === undefined
        ? present.now({
            ...known,
            // Computed lazily: most requests do not need it, and there may be thousands of entries.
            get held() {
              return held();
            },
          })
        : past.at(revision, { ...known, held: undefined });
    last = { key, cluster };
    return cluster;
  };
}
