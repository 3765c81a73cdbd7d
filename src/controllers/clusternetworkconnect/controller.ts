// The controller of ClusterNetworkConnects: says in the condition Accepted whether the chosen networks can be connected.
import type { ResourceName } from "../../client/client.ts";
import { equalJson } from "../../meta/json.ts";
import { informerFor } from "../kit/informers.ts";
import { ReconcileLoop } from "../kit/reconcile-loop.ts";
import { applyConditions } from "../networks/apply-status.ts";
import { type ClusterNetworkOptions, readClusterNetworks } from "../networks/cluster-networks.ts";
import { fitting } from "../networks/conditions.ts";
import { NADS, NAMESPACES } from "../networks/resources.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import { connectFailure } from "./connect-failure.ts";

export interface ClusterNetworkConnectDeps extends ControllerDeps {
  readonly clusterNetworks?: ClusterNetworkOptions;
}

export const CLUSTER_NETWORK_CONNECT_FIELD_MANAGER = "clustermanager-networkconnect-controller";
const NAME = "clusternetworkconnect";
const CONNECTS: ResourceName = { group: "k8s.ovn.org", version: "v1", resource: "clusternetworkconnects" };

export function createClusterNetworkConnectController(deps: ClusterNetworkConnectDeps): Controller {
  const { client, clock } = deps;
  const cluster = readClusterNetworks(deps.clusterNetworks);
  const connects = informerFor(deps, NAME, CONNECTS);
  const nads = informerFor(deps, NAME, NADS);
  const namespaces = informerFor(deps, NAME, NAMESPACES);
  let working = false;

  const loop = new ReconcileLoop({
    name: NAME,
    deps,
    informers: [namespaces, nads, connects],
    workers: 1,
    reconcile,
    prepare: () => {
      working = true;
      wakeAll();
    },
  });

  const wakeAll = (): void => {
    if (!working) return;
    const names = [...connects.list()].map(({ metadata }) => metadata.name ?? "");
    for (const name of names.sort()) loop.queue.add(name);
  };
  connects.addHandlers({
    add: wakeAll,
    update: (old, connect) => {
      if (!equalJson(old["spec"], connect["spec"])) wakeAll();
      else if (working) loop.queue.add(connect.metadata.name ?? "");
    },
    delete: wakeAll,
  });
  nads.addHandlers({ add: wakeAll, update: wakeAll, delete: wakeAll });
  namespaces.addHandlers({
    update: (old, namespace) => {
      if (!equalJson(old.metadata.labels, namespace.metadata.labels)) wakeAll();
    },
  });

  async function reconcile(name: string): Promise<void> {
    const connect = connects.get(name);
    if (!connect) return;
    const error = connectFailure(connect, {
      sources: { nads, namespaces },
      cluster,
      connects: connects.list(),
    });
    const condition = error
      ? ({ status: "False", reason: "ResourceAllocationFailed", message: fitting(error.message) } as const)
      : ({
          status: "True",
          reason: "ResourceAllocationSucceeded",
          message: "All validation checks passed successfully",
        } as const);
    const target = { client, resource: CONNECTS, object: connect, nowMs: clock.now() };
    await applyConditions(target, [{ type: "Accepted", ...condition }], { force: true });
  }

  return loop;
}
