// The cluster with all egress addresses unassigned and reassigned from scratch: a copy without the controllers'
// decisions, after its own controllers are idle.

import { mapInSlices } from "../apimachinery/meta/lists.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { decodeStored, RawValue } from "../apiserver/registry/codec/object-codec.ts";
import { storedOrder } from "../apiserver/registry/codec/versions.ts";
import type { ResourceDefinition } from "../apiserver/registry/definition/resource-definition.ts";
import { resourcePrefix } from "../apiserver/registry/definition/view.ts";
import type { ResourceRegistry } from "../apiserver/registry/resource-registry.ts";
import type { Cluster } from "../ovn/cluster/cluster.ts";
import type { ClusterFacts } from "../ovn/snapshot.ts";
import { EVERY_KEY, type KeyValue, type KeyValueReader } from "../storage/store.ts";
import type { CoreOptions } from "./api-core.ts";
import { whatIf } from "./what-if.ts";

/** Resources whose status holds the assignments. */
const DECIDED = ["egressips", "egressservices"];
/** The cloud requests of the assignments. */
const ASKED = { group: "cloud.network.openshift.io", resource: "cloudprivateipconfigs" };

interface AnewOptions {
  readonly store: KeyValueReader;
  readonly registry: ResourceRegistry;
  readonly given: CoreOptions;
  readonly facts: Partial<ClusterFacts>;
}

export async function clusterAnew({ store, registry, given, facts }: AnewOptions): Promise<Cluster> {
  const { items, revision } = store.list(EVERY_KEY);
  const decided = DECIDED.flatMap(
    (resource) => registry.findStorage("k8s.ovn.org", resource)?.definition ?? [],
  );
  const asked = registry.findStorage(ASKED.group, ASKED.resource)?.definition;
  const kept = items.filter(({ key }) => asked === undefined || !key.startsWith(resourcePrefix(asked)));
  const undecided = await mapInSlices(kept, (kv) => {
    const definition = decided.find((one) => kv.key.startsWith(resourcePrefix(one)));
    return definition === undefined ? kv : withoutStatus(kv, definition);
  });
  let cluster: Cluster | undefined;
  const onRest = (atRest: Cluster): void => {
    cluster = atRest;
  };
  await whatIf([], { present: { items: undecided, revision, remaining: 0 }, given, facts, onRest });
  if (cluster === undefined) throw new Error("a copy has come to no rest");
  return cluster;
}

function withoutStatus(kv: KeyValue, definition: ResourceDefinition): KeyValue {
  const { status: _status, ...object } = decodeStored(kv);
  return new RawValue(
    kv.key,
    { object: object as KubeObject, order: storedOrder(definition) },
    kv.modRevision,
  );
}
