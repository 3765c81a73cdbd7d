// The controller of ClusterNetworkConnects: says in the condition Accepted whether the chosen networks can be connected.
import type { ResourceName } from "../../client/client.ts";
import { equalJson } from "../../meta/json.ts";
import { InvalidSelectorError } from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { applyConditions } from "../networks/apply-status.ts";
import { type ClusterNetworkOptions, readClusterNetworks } from "../networks/cluster-networks.ts";
import { fitting } from "../networks/conditions.ts";
import { informerFor } from "../networks/informers.ts";
import { NetworkError, within } from "../networks/network-error.ts";
import { NADS, NAMESPACES } from "../networks/resources.ts";
import {
  nadsOfSelectedClusterNetworks,
  nadsOfSelectedNamespaces,
  networkSelectorsOf,
  primaryNetworks,
  type SelectedNetwork,
} from "../networks/selected-networks.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import { ReconcileLoop } from "../runtime/reconcile-loop.ts";
import { checkCapacity, checkConnect, checkOthers, readConnectSubnets } from "./validate.ts";

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
    const error = failureOf(connect);
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

  function failureOf(connect: KubeObject): Error | undefined {
    const { name = "" } = connect.metadata;
    const subnets = readConnectSubnets(connect);
    try {
      const networks = told(`failed to discover selected networks for CNC ${name}`, () =>
        selectedBy(connect),
      );
      told(`validation failed for CNC ${name}`, () => checkConnect(subnets, networks, cluster));
      told(`cross-validation failed for CNC ${name}`, () =>
        checkOthers({ name, subnets, networks }, othersThan(name)),
      );
      told(`failed to allocate subnets for CNC ${name}`, () => checkCapacity(subnets, networks));
      return undefined;
    } catch (error) {
      if (error instanceof NetworkError) return error;
      throw error;
    }
  }

  function selectedBy(connect: KubeObject): SelectedNetwork[] {
    const sources = { nads, namespaces };
    const found = networkSelectorsOf(connect).flatMap((selector) =>
      selector["networkSelectionType"] === "ClusterUserDefinedNetworks"
        ? nadsOfSelectedClusterNetworks(selector, sources)
        : nadsOfSelectedNamespaces(selector, sources),
    );
    const networks = primaryNetworks(found);
    const special = networks.find(({ conf }) => conf.transport !== "");
    if (!special) return networks;
    const { name, transport } = special.conf;
    throw new NetworkError(
      `network ${name} has transport type ${transport} that is not supported for networkConnect`,
    );
  }

  /** The others that choose anything; of two in conflict both are told. */
  function othersThan(name: string) {
    const others = [...connects.list()].filter(({ metadata }) => metadata.name !== name);
    return others
      .map((other) => ({
        name: other.metadata.name ?? "",
        subnets: readConnectSubnets(other),
        networks: withoutFailure(() => selectedBy(other)) ?? [],
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  return loop;
}

/** The result, or the failure told with where it happened. */
function told<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof NetworkError || error instanceof InvalidSelectorError) throw within(where, error);
    throw error;
  }
}

function withoutFailure<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof NetworkError || error instanceof InvalidSelectorError) return undefined;
    throw error;
  }
}
