// The objects of the store as verdicts read them. What was decoded once is kept for as long as it is the newest.
import { leading } from "../../meta/lists.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Revision } from "../../meta/revision.ts";
import { decodeLean } from "../../registry/codec/versions.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { collectionRange, objectKey } from "../../registry/definition/view.ts";
import type { ResourceRegistry } from "../../registry/resource-registry.ts";
import type { KeyValue, Store } from "../../storage/store.ts";
import { Cluster } from "../../verdict/cluster/cluster.ts";
import { fullName, NEEDED_KINDS } from "../../verdict/needed-kinds.ts";
import { type ClusterFacts, DEFAULT_FACTS, type Snapshot } from "../../verdict/snapshot.ts";
import type { GivenFacts } from "./verdicts.ts";

export interface StoreSnapshotDeps {
  readonly store: Store;
  readonly registry: ResourceRegistry;
}

/** The view of a resource by its name with the group: "egressips.k8s.ovn.org". */
function viewOf(registry: ResourceRegistry, resource: string): ResourceView | undefined {
  const dot = resource.indexOf(".");
  return dot < 0
    ? registry.findStorage("", resource)
    : registry.findStorage(resource.slice(dot + 1), resource.slice(0, dot));
}

/** Whole lists as they were last read: of what has not changed since nothing is looked at again. */
class KeptLists {
  readonly #kept = new Map<string, { view: ResourceView; kvs: readonly KeyValue[]; objects: Objects }>();

  read(resource: string, view: ResourceView, kvs: readonly KeyValue[]): Objects {
    const before = this.#kept.get(resource);
    // Another definition shows the same bytes otherwise.
    const kept = before?.view.definition === view.definition ? before : undefined;
    const objects = kvs.map((kv, index) =>
      kept?.kvs[index] === kv ? (kept.objects[index] ?? decodeLean(view, kv)) : decodeLean(view, kv),
    );
    this.#kept.set(resource, { view, kvs, objects });
    return objects;
  }
}

type Objects = readonly Readonly<KubeObject>[];

/** It shows what the store holds when it is asked, or what it held at a revision. */
export function storeSnapshot({ store, registry }: StoreSnapshotDeps, at?: Revision): Snapshot {
  return {
    list(resource, namespace = "") {
      const view = viewOf(registry, resource);
      if (view === undefined) return [];
      const range = collectionRange(view.definition, namespace);
      const { items } = store.list(range, at === undefined ? {} : { at });
      return items.map((kv) => decodeLean(view, kv));
    },
    get(resource, namespace, name) {
      const view = viewOf(registry, resource);
      const kv = view && store.get(objectKey(view.definition, namespace, name), at);
      return view && kv && decodeLean(view, kv);
    },
  };
}

/** What the store holds now, whatever is written later: for questions that are answered in several turns. */
function stillSnapshot({ store, registry }: StoreSnapshotDeps, kept: KeptLists): Snapshot {
  const kinds = new Map(
    NEEDED_KINDS.flatMap((kind) => {
      const view = registry.findStorage(kind.group, kind.resource);
      if (!view) return [];
      const { items } = store.list(collectionRange(view.definition, ""));
      return [[fullName(kind), { view, items }] as const];
    }),
  );
  return {
    list(resource, namespace = "") {
      const known = kinds.get(resource);
      if (!known) return [];
      const { view, items } = known;
      if (namespace === "") return kept.read(resource, view, items);
      const { from, to } = collectionRange(view.definition, namespace);
      const [start, end] = [from, to].map((limit) => leading(items, ({ key }) => key < limit));
      return items.slice(start, end).map((kv) => decodeLean(view, kv));
    },
    get(resource, namespace, name) {
      const known = kinds.get(resource);
      if (!known) return undefined;
      const wanted = objectKey(known.view.definition, namespace, name);
      const kv = known.items[leading(known.items, ({ key }) => key < wanted)];
      return kv?.key === wanted ? decodeLean(known.view, kv) : undefined;
    },
  };
}

/** The cluster as it was at a revision. */
export const clusterAt = (deps: StoreSnapshotDeps, facts: Partial<ClusterFacts>, at: Revision): Cluster =>
  new Cluster(storeSnapshot(deps, at), { ...DEFAULT_FACTS, ...facts, held: undefined });

/**
 * The cluster of now, with facts beside the usual ones. What was read for one question serves the next: all of it for as
 * long as nothing is written and nothing else is given, else what has not changed.
 */
export function presentClusters(
  deps: StoreSnapshotDeps,
  { facts, held }: { readonly facts: Partial<ClusterFacts>; readonly held: () => ClusterFacts["held"] },
): (given: GivenFacts) => Cluster {
  const kept = new KeptLists();
  let last: { readonly key: string; readonly cluster: Cluster } | undefined;
  return (given) => {
    const key = `${deps.store.revision} ${JSON.stringify(given)}`;
    if (last?.key !== key) {
      // Most questions do not ask what is held, and there may be thousands.
      const all = {
        ...{ ...DEFAULT_FACTS, ...facts, ...given },
        get held() {
          return held();
        },
      };
      last = { key, cluster: new Cluster(stillSnapshot(deps, kept), all) };
    }
    return last.cluster;
  };
}
