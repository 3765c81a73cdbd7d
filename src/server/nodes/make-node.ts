// A Node as after joining an ovn-kubernetes cluster: the fields that the kubelet, the network agent and a cloud
// provider set. Values of the cluster manager (node-subnets, node-id, transit addresses) are set by its own
// controller.
import { createHash } from "node:crypto";
import { type Cidr, ipFromValue } from "../../apimachinery/meta/ip.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { Platform } from "../../controller/emulated-release.ts";
import { EGRESS_IP_CONFIG, PRIMARY_ADDRESSES } from "../../ovn/assignment/cidr-lists.ts";
import { EGRESS_ASSIGNABLE_LABEL } from "../../ovn/assignment/node-state.ts";
import { egressIpConfigOf } from "../../ovn/controllers/cloud/provider.ts";
import {
  addressesOf,
  nodeConditions,
  nodeInfo,
  timedConditions,
  USUAL_CAPACITY,
  usualLabels,
} from "../../ovn/controllers/node-agent/node-status.ts";

export interface NodePlan {
  readonly name: string;
  readonly zone: string | undefined;
  readonly region: string | undefined;
  /** One of each family: the network with the node's address. */
  readonly addresses: readonly Cidr[];
  readonly assignable: boolean;
  readonly platform: Platform;
  readonly instanceType: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly capacity: Readonly<Record<string, string>>;
  /** RFC 3339. */
  readonly now: string;
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

const uuidOf = (text: string): string =>
  digest(text).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-8$4-$5");

/** In the MAC range of virtual machines. */
const macOf = (name: string): string =>
  ["52:54:00", ...(digest(`mac of ${name}`).slice(0, 6).match(/../g) ?? [])].join(":");

const written = ({ address, prefix }: Cidr): string => `${address.text}/${prefix}`;

export function makeNode(plan: NodePlan): KubeObject {
  const { name, platform, now, capacity } = plan;
  const metadata = { name, labels: labelsOf(plan), annotations: annotationsOf(plan) };
  const all = { ...USUAL_CAPACITY, ...capacityOf(plan.instanceType), ...capacity };
  const primary = metadata.annotations[PRIMARY_ADDRESSES];
  const node: KubeObject = {
    apiVersion: "v1",
    kind: "Node",
    metadata,
    spec: platform === "none" ? {} : { providerID: providerIdOf(plan) },
    status: {
      addresses: addressesOf(name, primary),
      allocatable: all,
      capacity: all,
      conditions: timedConditions(nodeConditions({ metadata }), now),
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: nodeInfo(uuidOf(name)),
    },
  };
  const config = egressIpConfigOf(platform, node);
  if (config !== undefined) metadata.annotations[EGRESS_IP_CONFIG] = config;
  return node;
}

function labelsOf({
  name,
  zone,
  region,
  assignable,
  instanceType,
  labels,
}: NodePlan): Record<string, string> {
  const told: Record<string, string | undefined> = {
    "node.kubernetes.io/instance-type": instanceType,
    "topology.kubernetes.io/region": region,
    "topology.kubernetes.io/zone": zone,
    [EGRESS_ASSIGNABLE_LABEL]: assignable ? "" : undefined,
  };
  const known = Object.entries(told).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
  return {
    ...usualLabels(name),
    "node-role.kubernetes.io/worker": "",
    ...Object.fromEntries(known),
    ...labels,
  };
}

function annotationsOf({ name, addresses }: NodePlan): Record<string, string> {
  const cidrs = addresses.map(written);
  const families = Object.fromEntries(addresses.map((cidr) => [`ipv${cidr.family}`, written(cidr)]));
  const gateways = addresses.map(({ family, first }) => ipFromValue(family, first + 1n).text);
  const single = addresses.length === 1 ? { "ip-address": cidrs[0] } : {};
  const singleHop = addresses.length === 1 ? { "next-hop": gateways[0] } : {};
  const gateway = {
    mode: "shared",
    "bridge-id": "br-ex",
    "interface-id": `br-ex_${name}`,
    "mac-address": macOf(name),
    "ip-addresses": cidrs,
    ...single,
    "next-hops": gateways,
    ...singleHop,
    "node-port-enable": "true",
    "vlan-id": "0",
  };
  return {
    "k8s.ovn.org/host-cidrs": JSON.stringify([...cidrs].sort()),
    "k8s.ovn.org/l3-gateway-config": JSON.stringify({ default: gateway }),
    "k8s.ovn.org/node-chassis-id": uuidOf(`chassis of ${name}`),
    "k8s.ovn.org/node-encap-ips": JSON.stringify(addresses.slice(0, 1).map(({ address }) => address.text)),
    "k8s.ovn.org/node-masquerade-subnet": JSON.stringify({ ipv4: "169.254.0.0/17", ipv6: "fd69::/112" }),
    [PRIMARY_ADDRESSES]: JSON.stringify(families),
    "k8s.ovn.org/remote-zone-migrated": name,
    "k8s.ovn.org/zone-name": name,
    "volumes.kubernetes.io/controller-managed-attach-detach": "true",
  };
}

function providerIdOf({ name, platform, zone = "a" }: NodePlan): string {
  const id = digest(`machine of ${name}`);
  if (platform === "aws") return `aws:///${zone}/i-${id.slice(0, 17)}`;
  if (platform === "gcp") return `gce://egret/${zone}/${name}`;
  if (platform === "azure")
    return `azure:///subscriptions/${uuidOf("egret")}/resourceGroups/egret/providers/Microsoft.Compute/virtualMachines/${name}`;
  return `openstack:///${uuidOf(name)}`;
}

const PROCESSORS: ReadonlyMap<string, number> = new Map([
  ...["nano", "micro", "small", "medium", "large"].map((size) => [size, 2] as const),
  ["xlarge", 4],
]);
const GIBIBYTES_EACH: ReadonlyMap<string, number> = new Map([
  ["c", 2],
  ["m", 4],
  ["t", 4],
  ["r", 8],
  ["x", 16],
]);

/** Capacity of an AWS instance type: m5.2xlarge has 8 CPUs and 32 GiB. Empty for another name. */
export function capacityOf(instanceType: string | undefined): Record<string, string> {
  const [, family = "", size = ""] = /^([a-z])[a-z0-9-]*\.([a-z0-9]+)$/.exec(instanceType ?? "") ?? [];
  const times = /^(\d+)xlarge$/.exec(size)?.[1];
  const processors = times === undefined ? PROCESSORS.get(size) : Number(times) * 4;
  const each = GIBIBYTES_EACH.get(family);
  if (processors === undefined || each === undefined) return {};
  return { cpu: String(processors), memory: `${processors * each}Gi` };
}
