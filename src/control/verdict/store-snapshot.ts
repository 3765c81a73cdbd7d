// The objects of the store as verdicts read them. What was decoded once is kept for as long as it is the newest.
import { leading } from "../../meta/lists.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Revision } from "../../meta/revision.ts";
import { decodeLean } from "../../registry/codec/versions.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { collectionRange, objectKey } from "../../registry/definition/view.ts";
import type { ResourceRegistry } from "../../registry/resource-registry.ts";
import type { Store } from "../../storage/store.ts";
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

/** It shows what the store holds when it is asked, or what it held at a revision. */
export function storeSnapshot({ store, registry }: StoreSnapshotDeps, at?: Revision): Snapshot {
  return {
    *list(resource, namespace = ""): Generator<Readonly<KubeObject>> {
      const view = viewOf(registry, resource);
      if (view === undefined) return;
      const range = collectionRange(view.definition, namespace);
      for (const kv of store.list(range, at === undefined ? {} : { at }).items) yield decodeLean(view, kv);
    },
    get(resource, namespace, name) {
      const view = viewOf(registry, resource);
      const kv = view && store.get(objectKey(view.definition, namespace, name), at);
      return view && kv && decodeLean(view, kv);
    },
  };
}

/** What the store holds now, whatever is written later: for questions that are answered in several turns. */
function stillSnapshot({ store, registry }: StoreSnapshotDeps): Snapshot {
  const kinds = new Map(
    NEEDED_KINDS.flatMap((kind) => {
      const view = registry.findStorage(kind.group, kind.resource);
      if (!view) return [];
      const { items } = store.list(collectionRange(view.definition, ""));
      return [[fullName(kind), { view, items }] as const];
    }),
  );
  return {
    *list(resource, namespace = ""): Generator<Readonly<KubeObject>> {
      const known = kinds.get(resource);
      if (!known) return;
      const { from, to } = collectionRange(known.view.definition, namespace);
      for (let at = leading(known.items, ({ key }) => key < from); ; at++) {
        const kv = known.items[at];
        if (!kv || kv.key >= to) return;
        yield decodeLean(known.view, kv);
      }
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
 * The cluster of now, with facts beside the usual ones. What was read for one question serves the next, for as long as
 * nothing is written and nothing else is given.
 */
export function presentClusters(
  deps: StoreSnapshotDeps,
  factsNow: () => Partial<ClusterFacts>,
): (given: GivenFacts) => Cluster {
  let last: { readonly key: string; readonly cluster: Cluster } | undefined;
  return (given) => {
    const key = `${deps.store.revision} ${JSON.stringify(given)}`;
    if (last?.key !== key) {
      const facts = { ...DEFAULT_FACTS, ...factsNow(), ...given };
      last = { key, cluster: new Cluster(stillSnapshot(deps), facts) };
    }
    return last.cluster;
  };
}
