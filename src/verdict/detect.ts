// How a cluster was set up, as its own objects say it: the best source first, each kind of cluster has its own. What none
// says is left out, and whoever asks takes what is usual, or says it himself.
import { type Cidr, cidrContains, cidrOf, type IpAddress, type IpFamily, parseCidr } from "../meta/ip.ts";
import {
  isObject,
  type JsonObject,
  lookupTable,
  objectAt,
  objectsAt,
  parsedObject,
  textAt,
  textsAt,
  textsOf,
} from "../meta/json.ts";
import { smallest } from "../meta/lists.ts";
import { type KubeObject, specOf } from "../meta/object-meta.ts";
import { EGRESS_IP_CONFIG } from "./assignment/cidr-lists.ts";
import { NODE_SUBNETS_ANNOTATION } from "./assignment/node-state.ts";
import { networkIn } from "./cluster/cidr-texts.ts";
import type { ClusterFacts, Platform, Snapshot } from "./snapshot.ts";

type Found =
  | "clusterSubnets"
  | "serviceSubnets"
  | "joinSubnets"
  | "transitSubnets"
  | "masqueradeSubnets"
  | "product";

export interface DetectedFacts extends Partial<Pick<ClusterFacts, Found>> {
  readonly platform: Platform;
  /** Where the nodes stand, though nothing says that egress addresses are asked of that cloud. */
  readonly doubtful?: Platform;
}

type Source<T> = (snapshot: Snapshot) => T | undefined;

export function detectFacts(snapshot: Snapshot): DetectedFacts {
  const ovn = ovnConfig(snapshot);
  const texts = {
    clusterSubnets: firstOf(CLUSTER_SUBNETS, snapshot),
    serviceSubnets: firstOf(SERVICE_SUBNETS, snapshot),
    joinSubnets: ofBothFamilies(ovn, "internalJoinSubnet"),
    transitSubnets: ofBothFamilies(ovn, "internalTransitSwitchSubnet"),
    masqueradeSubnets: ofBothFamilies(objectAt(ovn, "gatewayConfig"), "internalMasqueradeSubnet"),
    product: isOlder(snapshot) ? ("openshift-4.13" as const) : undefined,
  };
  const found = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined));
  const platform = firstOf(PLATFORM, snapshot);
  const doubtful = platform === undefined ? platformOfNodes(snapshot) : undefined;
  return { ...found, platform: platform ?? "none", ...(doubtful === undefined ? {} : { doubtful }) };
}

function firstOf<T>(sources: readonly Source<T>[], snapshot: Snapshot): T | undefined {
  for (const source of sources) {
    const found = source(snapshot);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The texts that are networks, joined; undefined for none. */
function joined(texts: readonly string[]): string | undefined {
  const networks = texts.map((text) => text.trim()).filter(networkIn);
  return networks.length === 0 ? undefined : networks.join(",");
}

const named = (snapshot: Snapshot, resource: string, name: string): KubeObject | undefined =>
  snapshot.get(resource, "", name);
const networkConfig = (snapshot: Snapshot) => named(snapshot, "networks.config.openshift.io", "cluster");
const operatorNetwork = (snapshot: Snapshot) => named(snapshot, "networks.operator.openshift.io", "cluster");

/** A text of a ConfigMap; "" where it is not there. */
const configured = (snapshot: Snapshot, namespace: string, name: string, key: string): string =>
  textAt(objectAt(snapshot.get("configmaps", namespace, name), "data"), key);
const ovnkubeConf = (snapshot: Snapshot): string =>
  configured(snapshot, "openshift-ovn-kubernetes", "ovnkube-config", "ovnkube.conf");
const kubeadm = (snapshot: Snapshot): string =>
  configured(snapshot, "kube-system", "kubeadm-config", "ClusterConfiguration");

/** The value of a line "key=value", or "key: value", with quotes or without; a list with commas. */
const settingIn = (text: string, key: string): string | undefined =>
  joined((new RegExp(`^\\s*${key}\\s*[=:]\\s*"?([^"\\n]*)"?\\s*$`, "m").exec(text)?.[1] ?? "").split(","));

/** {cidr, hostPrefix} of each. */
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
  nodesTogether,
];

const SERVICE_SUBNETS: readonly Source<string>[] = [
  (snapshot) => joined(textsAt(objectAt(networkConfig(snapshot), "status"), "serviceNetwork")),
  (snapshot) =>
    joined(textsAt(specOf(named(snapshot, "servicecidrs.networking.k8s.io", "kubernetes")), "cidrs")),
  (snapshot) => settingIn(ovnkubeConf(snapshot), "service-cidrs"),
  (snapshot) => joined(configured(snapshot, "ovn-kubernetes", "ovn-config", "svc_cidr").split(",")),
  (snapshot) => settingIn(kubeadm(snapshot), "serviceSubnet"),
];

/** The smallest network of each family that holds the shares of all nodes. */
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

/** Before host-cidrs nodes named their addresses without prefixes. */
function isOlder(snapshot: Snapshot): boolean {
  const nodes = [...snapshot.list("nodes")].map(({ metadata }) => metadata.annotations ?? {});
  const has = (key: string) => nodes.some((annotations) => annotations[key] !== undefined);
  return has("k8s.ovn.org/host-addresses") && !has("k8s.ovn.org/host-cidrs");
}

/** The words of an Infrastructure; all others assign addresses without a cloud. */
const CLOUDS = lookupTable<Platform>({ AWS: "aws", GCP: "gcp", Azure: "azure", OpenStack: "openstack" });
const PROVIDERS = lookupTable<Platform>({ aws: "aws", gce: "gcp", azure: "azure", openstack: "openstack" });

const PLATFORM: readonly Source<Platform>[] = [
  (snapshot) => {
    const status = objectAt(named(snapshot, "infrastructures.config.openshift.io", "cluster"), "status");
    const word = textAt(objectAt(status, "platformStatus"), "type") || textAt(status, "platform");
    return word === "" ? undefined : (CLOUDS[word] ?? "none");
  },
  (snapshot) => {
    const asksCloud =
      [...snapshot.list("cloudprivateipconfigs.cloud.network.openshift.io")].length > 0 ||
      [...snapshot.list("nodes")].some(
        ({ metadata }) => metadata.annotations?.[EGRESS_IP_CONFIG] !== undefined,
      );
    return asksCloud ? (platformOfNodes(snapshot) ?? "aws") : undefined;
  },
];

function platformOfNodes(snapshot: Snapshot): Platform | undefined {
  for (const node of snapshot.list("nodes")) {
    const [scheme = ""] = textAt(specOf(node), "providerID").split(":");
    const known = PROVIDERS[scheme] ?? platformOfInterface(node);
    if (known !== undefined) return known;
  }
  return undefined;
}

/** Each cloud has its own names for interfaces. */
function platformOfInterface({ metadata }: KubeObject): Platform | undefined {
  const text = metadata.annotations?.[EGRESS_IP_CONFIG];
  const list = text === undefined ? undefined : parsedObject(`{"list":${text}}`)?.["list"];
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  const name = isObject(first) ? textAt(first, "interface") : "";
  if (name.startsWith("eni-")) return "aws";
  if (/^nic\d+$/.test(name)) return "gcp";
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(name)) return "openstack";
  return name === "" ? undefined : "azure";
}
