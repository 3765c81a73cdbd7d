// Detects the cluster's configuration from its objects. Each fact has a list of sources for different distributions, the
// most reliable first. A fact without a source is absent; the caller uses a flag or the default.

import {
  type JsonObject,
  objectAt,
  objectsAt,
  parsedObject,
  textAt,
  textsAt,
  textsOf,
} from "../../apimachinery/json/json.ts";
import {
  type Cidr,
  cidrContains,
  cidrOf,
  type IpAddress,
  type IpFamily,
  parseCidr,
} from "../../apimachinery/meta/ip.ts";
import { smallest } from "../../apimachinery/meta/lists.ts";
import { specOf } from "../../apimachinery/meta/object-meta.ts";
import { NODE_SUBNETS_ANNOTATION } from "../../cluster/node-annotations.ts";
import type { ClusterFacts, Snapshot } from "../snapshot.ts";
import { type DetectedPlatform, detectPlatform } from "./platform.ts";
import {
  argumentOf,
  configured,
  firstOf,
  joined,
  named,
  ofNodes,
  type Said,
  type Source,
  settingIn,
} from "./source.ts";
import { isOlder } from "./versions.ts";

type Found =
  | "clusterSubnets"
  | "serviceSubnets"
  | "joinSubnets"
  | "transitSubnets"
  | "masqueradeSubnets"
  | "product";

export interface DetectedFacts extends Partial<Pick<ClusterFacts, Found>>, DetectedPlatform {}

/** `said`: facts from outside of the snapshot. */
export function detectFacts(snapshot: Snapshot, said: Said = {}): DetectedFacts {
  const ovn = ovnConfig(snapshot);
  const texts = {
    clusterSubnets: firstOf(CLUSTER_SUBNETS, snapshot, said),
    serviceSubnets: firstOf(SERVICE_SUBNETS, snapshot, said),
    joinSubnets: ofBothFamilies(ovn, "internalJoinSubnet") ?? networksOfNodes(snapshot, JOIN_ANNOTATION),
    transitSubnets:
      ofBothFamilies(ovn, "internalTransitSwitchSubnet") ?? networksOfNodes(snapshot, TRANSIT_ANNOTATION),
    masqueradeSubnets:
      ofBothFamilies(objectAt(ovn, "gatewayConfig"), "internalMasqueradeSubnet") ??
      networksOfNodes(snapshot, MASQUERADE_ANNOTATION),
    product: isOlder(snapshot) ? ("openshift-4.13" as const) : undefined,
  };
  const found = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined));
  return { ...found, ...detectPlatform(snapshot) };
}

/** Node annotations with an address and its prefix length, or with a CIDR. */
const JOIN_ANNOTATION = "k8s.ovn.org/node-gateway-router-lrp-ifaddr";
const TRANSIT_ANNOTATION = "k8s.ovn.org/node-transit-switch-port-ifaddr";
const MASQUERADE_ANNOTATION = "k8s.ovn.org/node-masquerade-subnet";

const networksOfNodes = (snapshot: Snapshot, annotation: string): string | undefined =>
  joined(ofNodes(snapshot, annotation).flatMap((text) => parseCidr(text)?.text ?? []));

const networkConfig = (snapshot: Snapshot) => named(snapshot, "networks.config.openshift.io", "cluster");
const operatorNetwork = (snapshot: Snapshot) => named(snapshot, "networks.operator.openshift.io", "cluster");

const ovnkubeConf = (snapshot: Snapshot): string =>
  configured(snapshot, "openshift-ovn-kubernetes", "ovnkube-config", "ovnkube.conf");
const kubeadm = (snapshot: Snapshot): string =>
  configured(snapshot, "kube-system", "kubeadm-config", "ClusterConfiguration");

/** Joins entries {cidr, hostPrefix} as "CIDR/HOSTPREFIX". */
const withShares = (networks: readonly JsonObject[]): string | undefined =>
  joined(
    networks.map((one) => {
      const share = one["hostPrefix"];
      return `${textAt(one, "cidr")}${typeof share === "number" && share > 0 ? `/${share}` : ""}`;
    }),
  );

const CLUSTER_SUBNETS: readonly Source<string>[] = [
  (snapshot) => withShares(objectsAt(objectAt(networkConfig(snapshot), "status"), "clusterNetwork")),
  (snapshot) => withShares(objectsAt(specOf(operatorNetwork(snapshot)), "clusterNetwork")),
  (snapshot) => settingIn(ovnkubeConf(snapshot), "cluster-subnets"),
  (snapshot) => joined(configured(snapshot, "ovn-kubernetes", "ovn-config", "net_cidr").split(",")),
  (snapshot) => settingIn(kubeadm(snapshot), "podSubnet"),
  (snapshot) => argumentOf(snapshot, "kube-controller-manager", "cluster-cidr"),
  nodesTogether,
];

const SERVICE_SUBNETS: readonly Source<string>[] = [
  (snapshot) => joined(textsAt(objectAt(networkConfig(snapshot), "status"), "serviceNetwork")),
  (snapshot) =>
    joined(textsAt(specOf(named(snapshot, "servicecidrs.networking.k8s.io", "kubernetes")), "cidrs")),
  (_snapshot, { serviceSubnets = "" }) => joined(serviceSubnets.split(",")),
  (snapshot) => settingIn(ovnkubeConf(snapshot), "service-cidrs"),
  (snapshot) => joined(configured(snapshot, "ovn-kubernetes", "ovn-config", "svc_cidr").split(",")),
  (snapshot) => settingIn(kubeadm(snapshot), "serviceSubnet"),
  (snapshot) => argumentOf(snapshot, "kube-apiserver", "service-cluster-ip-range"),
];

/** The smallest CIDR of each family that contains the node subnets of all nodes. */
function nodesTogether(snapshot: Snapshot): string | undefined {
  const shares = [...snapshot.list("nodes")].flatMap(({ metadata }) => {
    const own = parsedObject(metadata.annotations?.[NODE_SUBNETS_ANNOTATION])?.["default"];
    return textsOf(Array.isArray(own) ? own : [own]).flatMap((text) => parseCidr(text) ?? []);
  });
  const families: readonly IpFamily[] = [4, 6];
  return joined(
    families.flatMap((family) => hullOf(shares.filter((share) => share.family === family)) ?? []),
  );
}

function hullOf(networks: readonly Cidr[]): string | undefined {
  const [first] = networks;
  if (first === undefined) return undefined;
  const ends = networks.flatMap(({ family, first, last }): IpAddress[] =>
    [first, last].map((value) => ({ family, value, text: "", mapped: false })),
  );
  let prefix = smallest(
    networks.map((network) => network.prefix),
    first.prefix,
  );
  while (!ends.every((end) => cidrContains(cidrOf(first.address, prefix), end))) prefix--;
  return cidrOf(first.address, prefix).text;
}

const ovnConfig = (snapshot: Snapshot): JsonObject | undefined =>
  objectAt(objectAt(specOf(operatorNetwork(snapshot)), "defaultNetwork"), "ovnKubernetesConfig");

const ofBothFamilies = (config: JsonObject | undefined, member: string): string | undefined =>
  joined(["ipv4", "ipv6"].map((family) => textAt(objectAt(config, family), member)));
