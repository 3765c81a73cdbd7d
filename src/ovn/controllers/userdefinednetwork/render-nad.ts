// Renders the NetworkAttachmentDefinition of a network in one namespace. Its configuration is compact JSON for the CNI
// plugin with sorted keys, as Go encodes a map. Defaults are filled in, and unsupported networks are rejected.

import {
  equalJson,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../../apimachinery/json/json.ts";
import { escapeHtml } from "../../../apimachinery/json/json-encode.ts";
import { type KubeObject, specOf } from "../../../apimachinery/meta/object-meta.ts";
import { keyOfObject } from "../../../controller/api.ts";
import { Complaint, telling } from "../../../controller/conditions.ts";
import type { NetworkFeature } from "../../../controller/settings.ts";
import {
  type ClusterNetworks,
  chooseTransitSubnets,
  findOverlap,
  readNetworkInfo,
  USER_JOIN_SUBNETS,
} from "../networks/cluster-networks.ts";
import {
  configText,
  confOf,
  DEFAULT_NETWORK,
  isCluster,
  type NetConf,
  networkNameOf,
  OVN_CNI_TYPE,
  OVN_PREFIX,
  UDN_API_VERSION,
} from "../networks/net-conf.ts";

export type NetworkSpec = ReturnType<typeof readNetworkSpec>;

/** Parses the spec of a UserDefinedNetwork or ClusterUserDefinedNetwork, which the CRD schema has validated. */
export function readNetworkSpec(owner: KubeObject) {
  const spec = specOf(owner);
  const network = isCluster(owner) ? (objectAt(spec, "network") ?? {}) : spec;
  /** "layer2", "layer3" or "localnet". */
  const topology = textAt(network, "topology").toLowerCase();
  /** The spec section of the topology. */
  const given = objectAt(network, topology) ?? {};
  return {
    topology,
    given,
    /** "Primary" or "Secondary". */
    role: textAt(given, "role"),
    /** "" for the default overlay. */
    transport: TRANSPORTS.find((transport) => transport === network["transport"]) ?? ("" as const),
    noOverlay: objectAt(network, "noOverlay"),
    evpn: objectAt(network, "evpn"),
    uplinks: textsAt(spec, "uplinks"),
  };
}

const TRANSPORTS = ["NoOverlay", "EVPN"] as const;

/** "CIDR/HOSTSUBNET", or "CIDR" without hostSubnet. */
function layer3Subnets(config: JsonObject): string {
  const texts = objectsAt(config, "subnets").map((entry) => {
    const hostSubnet = numberAt(entry, "hostSubnet") ?? 0;
    return hostSubnet > 0 ? `${textAt(entry, "cidr")}/${hostSubnet}` : textAt(entry, "cidr");
  });
  return texts.join(",");
}

export interface RenderOptions {
  /** The EVPN section with allocated VLAN ids; replaces that of the spec. */
  readonly evpn?: JsonObject | undefined;
  readonly cluster: ClusterNetworks;
  /** Enabled features of the cluster manager; none by default, as in upstream. */
  readonly features: ReadonlySet<NetworkFeature>;
}

export const FINALIZER = "k8s.ovn.org/user-defined-network-protection";
const LABEL = "k8s.ovn.org/user-defined-network";
const CNI_VERSION = "1.1.0";
const OVERLAY_OVERHEAD = 100;
const PRECONFIGURED = ["reservedSubnets", "infrastructureSubnets", "defaultGatewayIPs"];

/** Throws a Complaint if the network is not supported. */
export function renderNad(owner: KubeObject, namespace: string, options: RenderOptions): KubeObject {
  const { kind = "", metadata } = owner;
  const { name = "", uid = "", labels, annotations = {} } = metadata;
  const rendered = {
    apiVersion: "k8s.cni.cncf.io/v1",
    kind: "NetworkAttachmentDefinition",
    metadata: { name, namespace },
  };
  const config = telling("failed to generate NetworkAttachmentDefinition", () =>
    renderConfig(owner, keyOfObject(rendered), options),
  );
  // Copies the user's annotations; those of ovn-kubernetes belong to their writers.
  const own = Object.entries(annotations).filter(([key]) => !key.startsWith(OVN_PREFIX));
  const reference = { apiVersion: UDN_API_VERSION, kind, name, uid };
  return {
    ...rendered,
    metadata: {
      ...rendered.metadata,
      labels: { [LABEL]: "", ...labels },
      ...(own.length > 0 ? { annotations: Object.fromEntries(own) } : {}),
      ownerReferences: [{ ...reference, controller: true, blockOwnerDeletion: true }],
      finalizers: [FINALIZER],
    },
    spec: { config },
  };
}

/** The live object with rendered configuration, labels and annotations; undefined if it is unchanged. */
export function corrected(live: KubeObject, rendered: KubeObject): KubeObject | undefined {
  const before = live.metadata.annotations ?? {};
  const kept = Object.entries(before).filter(([key]) => key.startsWith(OVN_PREFIX));
  const annotations = { ...rendered.metadata.annotations, ...Object.fromEntries(kept) };
  const labels = rendered.metadata.labels ?? {};
  const same =
    configText(live) === configText(rendered) &&
    equalJson(live.metadata.labels ?? {}, labels) &&
    equalJson(before, annotations);
  if (same) return undefined;
  return { ...live, metadata: { ...live.metadata, labels, annotations }, spec: rendered["spec"] };
}

/** Renders spec.config. Throws a Complaint. */
const renderConfig = (owner: KubeObject, nad: string, options: RenderOptions): string =>
  telling("failed to render CNI network config", () => {
    const { features, cluster } = options;
    const config = configOf(owner, options);
    const { topology, role } = confOf(config);
    if (topology === "layer2" && role === "primary") {
      config["transitSubnet"] = chooseTransitSubnets(confOf(config), cluster);
    }
    if (config["allowPersistentIPs"] && !features.has("persistent-ips")) {
      throw new Complaint("allowPersistentIPs is set but persistentIPs is Disabled");
    }
    checkConf(confOf(config), cluster);
    return goJson({ ...config, netAttachDefName: nad });
  });

function checkConf(conf: NetConf, cluster: ClusterNetworks): void {
  if (conf.topology !== "localnet" && conf.name !== DEFAULT_NETWORK) {
    telling("invalid subnet configuration", () => {
      const overlap = findOverlap(conf, cluster);
      if (overlap) throw new Complaint(overlap.message);
    });
  }
  readNetworkInfo(conf, cluster);
}

/** Lists become comma-separated texts. Empty members are omitted, as with Go's omitempty. */
function configOf(owner: KubeObject, { cluster, features, evpn }: RenderOptions): JsonObject {
  const spec = readNetworkSpec(owner);
  const { topology, given } = spec;
  const role = spec.role.toLowerCase();
  const listAt = (key: string): string => textsAt(given, key).join(",");
  const preconfigured = features.has("preconfigured-addresses") ? PRECONFIGURED : [];
  const config: JsonObject = {
    mtu: numberAt(given, "mtu") || (topology === "localnet" ? cluster.mtu + OVERLAY_OVERHEAD : 0),
    joinSubnet: role === "primary" ? listAt("joinSubnets") || USER_JOIN_SUBNETS.join(",") : "",
    subnets: topology === "layer3" ? layer3Subnets(given) : listAt("subnets"),
    allowPersistentIPs: textAt(objectAt(given, "ipam"), "lifecycle") === "Persistent",
    physicalNetworkName: textAt(given, "physicalNetworkName"),
    excludeSubnets: listAt("excludeSubnets"),
    vlanID: numberAt(objectAt(objectAt(given, "vlan"), "access"), "id"),
    ...Object.fromEntries(preconfigured.map((key) => [key, listAt(key)])),
    ...transportConfig(spec, evpn),
    uplink: spec.uplinks[0],
  };
  const set = Object.fromEntries(Object.entries(config).filter(([, value]) => Boolean(value)));
  return { ...set, cniVersion: CNI_VERSION, type: OVN_CNI_TYPE, name: networkNameOf(owner), topology, role };
}

function transportConfig(spec: NetworkSpec, evpn = spec.evpn): JsonObject {
  if (spec.transport === "NoOverlay") {
    const outboundSNAT = String(spec.noOverlay?.["outboundSNAT"] ?? "").toLowerCase();
    return { transport: "no-overlay", outboundSNAT };
  }
  return spec.transport === "EVPN" ? { transport: "evpn", evpn } : {};
}

/** JSON with sorted top-level keys; as in Go, <, > and & are escaped. */
const goJson = (config: JsonObject): string =>
  escapeHtml(JSON.stringify(Object.fromEntries(Object.entries(config).sort(([a], [b]) => (a < b ? -1 : 1)))));
