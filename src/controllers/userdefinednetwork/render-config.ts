// The configuration of a network for the CNI plugin: compact JSON with sorted keys, as a Go map is written. What the
// spec leaves open is filled in, and what the cluster cannot serve is refused.
import type { JsonObject } from "../../meta/json.ts";
import { chooseTransitSubnets } from "../networks/addresses/transit-subnets.ts";
import { type ClusterNetworks, USER_JOIN_SUBNETS } from "../networks/cluster-networks.ts";
import { DEFAULT_NETWORK, type NetConf, OVN_CNI_TYPE } from "../networks/net-conf.ts";
import { NetworkError, within } from "../networks/network-error.ts";
import { findOverlap, readNetworkInfo } from "../networks/network-info.ts";
import type { NetworkFeatures } from "./features.ts";
import type { NetworkSpec } from "./network-spec.ts";

export interface RenderOptions {
  /** How the network goes over EVPN, where that says more than the spec. */
  readonly evpn?: JsonObject | undefined;
  readonly cluster: ClusterNetworks;
  readonly features: NetworkFeatures;
}

export interface NetworkNames {
  readonly network: string;
  /** "namespace/name" of the NetworkAttachmentDefinition. */
  readonly nad: string;
}

const CNI_VERSION = "1.1.0";
const OVERLAY_OVERHEAD = 100;

/** The text of spec.config. Throws NetworkError. */
export function renderConfig(spec: NetworkSpec, names: NetworkNames, options: RenderOptions): string {
  const { features, cluster } = options;
  try {
    const conf = completed(netConfOf(spec, names), cluster);
    if (spec.persistentIps && !features.persistentIps) {
      throw new NetworkError("allowPersistentIPs is set but persistentIPs is Disabled");
    }
    checkConf(conf, cluster);
    return goJson(configOf(spec, conf, names, options));
  } catch (error) {
    throw within("failed to render CNI network config", error);
  }
}

function netConfOf(spec: NetworkSpec, { network }: NetworkNames): NetConf {
  const role = spec.role.toLowerCase();
  return {
    name: network,
    topology: spec.topology.toLowerCase(),
    role,
    subnets: spec.subnets,
    joinSubnet: role === "primary" ? spec.joinSubnets || USER_JOIN_SUBNETS.join(",") : "",
    transitSubnet: "",
    excludeSubnets: spec.excludeSubnets,
    transport: "",
  };
}

function completed(conf: NetConf, cluster: ClusterNetworks): NetConf {
  if (conf.topology !== "layer2" || conf.role !== "primary") return conf;
  return { ...conf, transitSubnet: chooseTransitSubnets(conf, cluster) };
}

function checkConf(conf: NetConf, cluster: ClusterNetworks): void {
  if (conf.topology !== "localnet" && conf.name !== DEFAULT_NETWORK) {
    try {
      const overlap = findOverlap(conf, cluster);
      if (overlap) throw new NetworkError(overlap.message);
    } catch (error) {
      throw within("invalid subnet configuration", error);
    }
  }
  readNetworkInfo(conf, cluster);
}

function configOf(
  spec: NetworkSpec,
  conf: NetConf,
  names: NetworkNames,
  { cluster, features, evpn }: RenderOptions,
): JsonObject {
  const mtu = spec.mtu || (conf.topology === "localnet" ? cluster.mtu + OVERLAY_OVERHEAD : 0);
  const addresses = features.preconfiguredAddresses
    ? {
        reservedSubnets: spec.reservedSubnets,
        infrastructureSubnets: spec.infrastructureSubnets,
        defaultGatewayIPs: spec.defaultGatewayIPs,
      }
    : {};
  const config: JsonObject = {
    mtu,
    joinSubnet: conf.joinSubnet,
    transitSubnet: conf.transitSubnet,
    subnets: conf.subnets,
    allowPersistentIPs: spec.persistentIps,
    physicalNetworkName: spec.physicalNetworkName,
    excludeSubnets: conf.excludeSubnets,
    vlanID: spec.vlanId,
    ...addresses,
    ...transportConfig({ ...spec, evpn: evpn ?? spec.evpn }),
    uplink: spec.uplinks[0] ?? "",
  };
  // Only what is set is written; the rest of a Go struct would show as empty members.
  const set = Object.fromEntries(Object.entries(config).filter(([, value]) => Boolean(value)));
  return {
    ...set,
    cniVersion: CNI_VERSION,
    type: OVN_CNI_TYPE,
    name: names.network,
    netAttachDefName: names.nad,
    topology: conf.topology,
    role: conf.role,
  };
}

function transportConfig({ transport, noOverlay, evpn }: NetworkSpec): JsonObject {
  if (transport === "NoOverlay") {
    return { transport: "no-overlay", outboundSNAT: String(noOverlay?.["outboundSNAT"] ?? "").toLowerCase() };
  }
  return transport === "EVPN" ? { transport: "evpn", evpn } : {};
}

/** Keys of the object itself sorted; a Go encoder also keeps <, > and & out of its text. */
function goJson(config: JsonObject): string {
  const sorted = Object.fromEntries(Object.entries(config).sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify(sorted).replace(
    /[<>&\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
