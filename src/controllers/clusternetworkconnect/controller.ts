// The controller of ClusterNetworkConnects: says in the condition Accepted whether the networks that it chooses can be
// connected.
import type { Informer } from "../../client/informer.ts";
import { equalJson } from "../../meta/json.ts";
import { InvalidSelectorError } from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { byName, keyOfObject, keysIn, NADS, NAMESPACES, ovn } from "../kit/api.ts";
import { defineController } from "../kit/define-controller.ts";
import type { Kit } from "../kit/definition.ts";
import { isNewest } from "../kit/settings.ts";
import { type ClusterNetworks, readClusterNetworks } from "../networks/cluster-networks.ts";
import { applyConditions, conditionFor, type Said } from "../networks/conditions.ts";
import { NetworkError, within } from "../networks/net-conf.ts";
import {
  type NetworkSources,
  nadsOfSelectedClusterNetworks,
  nadsOfSelectedNamespaces,
  networkSelectorsOf,
  primaryNetworks,
  type SelectedNetwork,
} from "../networks/selected-networks.ts";
import { checkCapacity, checkConnect, checkOther, readConnectSubnets } from "./validate.ts";

const CONNECTS = ovn("clusternetworkconnects");

const all = (_: unknown, { connects }: { readonly connects: Informer }) => keysIn(connects);

export const clusterNetworkConnect = defineController({
  name: "clusternetworkconnect",
  summary: "whether networks can be connected",
  fieldManager: "clustermanager-networkconnect-controller",
  isWanted: isNewest,
  workers: 1,
  memory: ({ settings }: Kit) => ({ cluster: readClusterNetworks(settings) }),
  watches: {
    namespaces: {
      resource: NAMESPACES,
      on: ["update"],
      facts: ({ metadata }) => metadata.labels,
      toKeys: all,
    },
    nads: { resource: NADS, toKeys: all },
    connects: {
      resource: CONNECTS,
      toKeys: ({ object, old }, { connects }) =>
        old && equalJson(old["spec"], object["spec"]) ? [object.metadata.name] : keysIn(connects),
    },
  },
  prepare: ({ connects }) => keysIn(connects),
  async reconcile(name, { connects, nads, namespaces, client, clock, memory: { cluster } }) {
    const object = connects.get(name);
    if (!object) return;
    const error = connectFailure(object, { cluster, connects, nads, namespaces });
    const problem = error && { reason: "ResourceAllocationFailed", message: error.message };
    const condition = conditionFor("Accepted", problem, ACCEPTED);
    await applyConditions({ client, clock, resource: CONNECTS, object }, [condition]);
  },
});

const ACCEPTED: Said = {
  reason: "ResourceAllocationSucceeded",
  message: "All validation checks passed successfully",
};

interface ConnectWorld extends NetworkSources {
  readonly cluster: ClusterNetworks;
  /** All ClusterNetworkConnects, the one in question too. */
  readonly connects: Informer;
}

/** Why the networks cannot be connected; undefined if they can. */
function connectFailure(connect: KubeObject, world: ConnectWorld): NetworkError | undefined {
  const name = keyOfObject(connect);
  const subnets = readConnectSubnets(connect);
  try {
    const networks = told(`failed to discover selected networks for CNC ${name}`, () =>
      selectedBy(connect, world),
    );
    told(`validation failed for CNC ${name}`, () => checkConnect(subnets, networks, world.cluster));
    // Of two in conflict both are told.
    for (const other of [...world.connects.list()].sort(byName)) {
      if (other.metadata.name === name) continue;
      told(`cross-validation failed for CNC ${name}`, () =>
        checkOther({ name, subnets, networks }, connectOf(other, world)),
      );
    }
    told(`failed to allocate subnets for CNC ${name}`, () => checkCapacity(subnets, networks));
    return undefined;
  } catch (error) {
    if (error instanceof NetworkError) return error;
    throw error;
  }
}

/** Another one; what it says wrong it is told itself. */
function connectOf(connect: KubeObject, sources: NetworkSources) {
  let networks: SelectedNetwork[] = [];
  try {
    networks = selectedBy(connect, sources);
  } catch (error) {
    if (!isTold(error)) throw error;
  }
  return { name: keyOfObject(connect), subnets: readConnectSubnets(connect), networks };
}

function selectedBy(connect: KubeObject, sources: NetworkSources): SelectedNetwork[] {
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

const isTold = (error: unknown): boolean =>
  error instanceof NetworkError || error instanceof InvalidSelectorError;

/** The result, or the failure told with where it happened. */
function told<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isTold(error) ? within(where, error) : error;
  }
}
