// The networks that a ClusterNetworkConnect chooses, and what is wrong with connecting them.
import { InvalidSelectorError } from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { ClusterNetworks } from "../networks/cluster-networks.ts";
import { NetworkError, within } from "../networks/network-error.ts";
import {
  type NetworkSources,
  nadsOfSelectedClusterNetworks,
  nadsOfSelectedNamespaces,
  networkSelectorsOf,
  primaryNetworks,
  type SelectedNetwork,
} from "../networks/selected-networks.ts";
import {
  checkCapacity,
  checkConnect,
  checkOthers,
  type OtherConnect,
  readConnectSubnets,
} from "./validate.ts";

export interface ConnectWorld {
  readonly sources: NetworkSources;
  readonly cluster: ClusterNetworks;
  /** All ClusterNetworkConnects, the one in question too. */
  readonly connects: Iterable<KubeObject>;
}

/** Why the networks cannot be connected; undefined if they can. */
export function connectFailure(connect: KubeObject, world: ConnectWorld): NetworkError | undefined {
  const { name = "" } = connect.metadata;
  const subnets = readConnectSubnets(connect);
  try {
    const networks = told(`failed to discover selected networks for CNC ${name}`, () =>
      selectedBy(connect, world.sources),
    );
    told(`validation failed for CNC ${name}`, () => checkConnect(subnets, networks, world.cluster));
    told(`cross-validation failed for CNC ${name}`, () =>
      checkOthers({ name, subnets, networks }, othersThan(name, world)),
    );
    told(`failed to allocate subnets for CNC ${name}`, () => checkCapacity(subnets, networks));
    return undefined;
  } catch (error) {
    if (error instanceof NetworkError) return error;
    throw error;
  }
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

/** The others that choose anything; of two in conflict both are told. */
function othersThan(name: string, { connects, sources }: ConnectWorld): OtherConnect[] {
  return [...connects]
    .filter(({ metadata }) => metadata.name !== name)
    .map((other) => ({
      name: other.metadata.name ?? "",
      subnets: readConnectSubnets(other),
      networks: withoutFailure(() => selectedBy(other, sources)) ?? [],
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
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

function withoutFailure<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (isTold(error)) return undefined;
    throw error;
  }
}
