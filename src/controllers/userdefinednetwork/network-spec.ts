// The network that a UserDefinedNetwork or ClusterUserDefinedNetwork asks for, read from its spec. The schema has seen
// to it that the parts fit together.
import { type JsonObject, numberAt, objectAt, objectsAt, textAt, textsAt } from "../../meta/json.ts";
import { type KubeObject, specOf } from "../../meta/object-meta.ts";
import { isCluster } from "../networks/net-conf.ts";

export type NetworkSpec = ReturnType<typeof readNetworkSpec>;

/** Lists come as the configuration writes them. */
export function readNetworkSpec(owner: KubeObject) {
  const spec = specOf(owner);
  const network = isCluster(owner) ? (objectAt(spec, "network") ?? {}) : spec;
  /** "Layer2", "Layer3" or "Localnet". */
  const topology = textAt(network, "topology");
  const config = objectAt(network, topology.toLowerCase()) ?? {};
  const listAt = (key: string): string => textsAt(config, key).join(",");
  return {
    topology,
    /** "Primary" or "Secondary". */
    role: textAt(config, "role"),
    subnets: topology === "Layer3" ? layer3Subnets(config) : listAt("subnets"),
    joinSubnets: listAt("joinSubnets"),
    excludeSubnets: listAt("excludeSubnets"),
    reservedSubnets: listAt("reservedSubnets"),
    infrastructureSubnets: listAt("infrastructureSubnets"),
    defaultGatewayIPs: listAt("defaultGatewayIPs"),
    mtu: numberAt(config, "mtu") ?? 0,
    /** Addresses of pods outlive them. */
    persistentIps: textAt(objectAt(config, "ipam"), "lifecycle") === "Persistent",
    physicalNetworkName: textAt(config, "physicalNetworkName"),
    vlanId: numberAt(objectAt(objectAt(config, "vlan"), "access"), "id") ?? 0,
    /** Of networks over the usual overlay "". */
    transport: TRANSPORTS.find((transport) => transport === network["transport"]) ?? ("" as const),
    noOverlay: objectAt(network, "noOverlay"),
    evpn: objectAt(network, "evpn"),
    uplinks: textsAt(spec, "uplinks"),
  };
}

const TRANSPORTS = ["NoOverlay", "EVPN"] as const;

/** A node's part is left out where it is not said. */
function layer3Subnets(config: JsonObject): string {
  const texts = objectsAt(config, "subnets").map((entry) => {
    const hostSubnet = numberAt(entry, "hostSubnet") ?? 0;
    return hostSubnet > 0 ? `${textAt(entry, "cidr")}/${hostSubnet}` : textAt(entry, "cidr");
  });
  return texts.join(",");
}
