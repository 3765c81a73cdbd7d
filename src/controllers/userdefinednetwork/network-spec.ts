// The network that a UserDefinedNetwork or ClusterUserDefinedNetwork asks for, read from its spec. The schema has seen
// to it that the parts fit together.
import { isObject, type JsonObject, objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { isCluster } from "../networks/owners.ts";

export type Transport = "" | "NoOverlay" | "EVPN";

export interface NetworkSpec {
  /** "Layer2", "Layer3" or "Localnet". */
  readonly topology: string;
  /** "Primary" or "Secondary". */
  readonly role: string;
  /** Lists as the configuration writes them. */
  readonly subnets: string;
  readonly joinSubnets: string;
  readonly excludeSubnets: string;
  readonly reservedSubnets: string;
  readonly infrastructureSubnets: string;
  readonly defaultGatewayIPs: string;
  readonly mtu: number;
  /** Addresses of pods outlive them. */
  readonly persistentIps: boolean;
  readonly physicalNetworkName: string;
  readonly vlanId: number;
  readonly transport: Transport;
  readonly noOverlay: JsonObject | undefined;
  readonly evpn: JsonObject | undefined;
  readonly uplinks: readonly string[];
}

export function readNetworkSpec(owner: KubeObject): NetworkSpec {
  const spec = isObject(owner["spec"]) ? owner["spec"] : {};
  const network = isCluster(owner) ? (objectAt(spec, "network") ?? {}) : spec;
  const topology = textAt(network, "topology");
  const config = objectAt(network, topology.toLowerCase()) ?? {};
  return {
    topology,
    role: textAt(config, "role"),
    subnets: topology === "Layer3" ? layer3Subnets(config["subnets"]) : listAt(config, "subnets"),
    joinSubnets: listAt(config, "joinSubnets"),
    excludeSubnets: listAt(config, "excludeSubnets"),
    reservedSubnets: listAt(config, "reservedSubnets"),
    infrastructureSubnets: listAt(config, "infrastructureSubnets"),
    defaultGatewayIPs: listAt(config, "defaultGatewayIPs"),
    mtu: numberAt(config, "mtu"),
    persistentIps: textAt(objectAt(config, "ipam"), "lifecycle") === "Persistent",
    physicalNetworkName: textAt(config, "physicalNetworkName"),
    vlanId: numberAt(objectAt(objectAt(config, "vlan"), "access"), "id"),
    transport: transportOf(textAt(network, "transport")),
    noOverlay: objectAt(network, "noOverlay"),
    evpn: objectAt(network, "evpn"),
    uplinks: texts(spec["uplinks"]),
  };
}

/** A node's part is left out where it is not said. */
function layer3Subnets(subnets: unknown): string {
  const entries = Array.isArray(subnets) ? subnets.filter(isObject) : [];
  return entries
    .map((entry) => {
      const hostSubnet = numberAt(entry, "hostSubnet");
      return hostSubnet > 0 ? `${textAt(entry, "cidr")}/${hostSubnet}` : textAt(entry, "cidr");
    })
    .join(",");
}

const transportOf = (text: string): Transport => (text === "NoOverlay" || text === "EVPN" ? text : "");

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

const listAt = (object: JsonObject, key: string): string => texts(object[key]).join(",");

function textAt(object: JsonObject | undefined, key: string): string {
  const value = object?.[key];
  return typeof value === "string" ? value : "";
}

function numberAt(object: JsonObject | undefined, key: string): number {
  const value = object?.[key];
  return typeof value === "number" ? value : 0;
}
