// What the clouds say about a node's network interface, each by its own rules: the name of the interface, its networks,
// and how many addresses it takes beside the node's own.

import { type Cidr, parseCidr } from "../../meta/ip.ts";
import { isObject, lookupTable, objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Platform } from "../kit/settings.ts";

const PRIMARY_ADDRESSES = "k8s.ovn.org/node-primary-ifaddr";
const INSTANCE_TYPE = "node.kubernetes.io/instance-type";
const UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized";

interface Provider {
  /** An address goes from node to node in one request; elsewhere it is released first. */
  readonly canMove: boolean;
  interfaceOf(node: string): string;
  capacityOf(node: KubeObject, used: Used): Readonly<Record<string, number>>;
}

/** How many addresses of its own the node has. */
interface Used {
  readonly ipv4: number;
  readonly ipv6: number;
}

/** Addresses per interface by the size in the instance type; the family of types matters little. */
const AWS_ADDRESSES: Readonly<Record<string, number>> = lookupTable({
  nano: 2,
  micro: 2,
  small: 4,
  medium: 6,
  large: 10,
  xlarge: 15,
  "2xlarge": 15,
  "4xlarge": 30,
  "8xlarge": 30,
  "9xlarge": 30,
  "10xlarge": 30,
  "12xlarge": 30,
});
const AWS_ADDRESSES_DEFAULT = 15;
const AWS_ADDRESSES_MOST = 50;

const PROVIDERS: Readonly<Record<Exclude<Platform, "none">, Provider>> = {
  aws: {
    canMove: false,
    interfaceOf: (node) => `eni-0${digestOf(node, 16)}`,
    capacityOf: (node, { ipv4, ipv6 }) => {
      const addresses = awsAddresses(node.metadata.labels?.[INSTANCE_TYPE]);
      return { ipv4: addresses - ipv4, ipv6: addresses - ipv6 };
    },
  },
  azure: {
    canMove: false,
    interfaceOf: (node) => `/${node}-nic`,
    capacityOf: (_node, { ipv4, ipv6 }) => ({ ip: 256 - ipv4 - ipv6 }),
  },
  gcp: {
    canMove: false,
    interfaceOf: () => "nic0",
    // Counts alias addresses only, of which a node has none of its own.
    capacityOf: () => ({ ip: 100 }),
  },
  openstack: {
    canMove: true,
    interfaceOf: (node) => digestOf(node, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"),
    capacityOf: (_node, { ipv4, ipv6 }) => ({ ip: 10 - ipv4 - ipv6 }),
  },
};

export const canMove = (platform: Platform): boolean => platform !== "none" && PROVIDERS[platform].canMove;

/** The annotation's text; undefined as long as the node is not initialised or has no readable address. */
export function egressIpConfigOf(platform: Platform, node: KubeObject): string | undefined {
  const networks = readNetworks(node.metadata.annotations?.[PRIMARY_ADDRESSES]);
  if (platform === "none" || !networks || isUninitialized(node)) return undefined;
  const provider = PROVIDERS[platform];
  const [ipv4, ipv6] = [4, 6].map((family) => networks.find((cidr) => cidr.family === family)?.text);
  const used = { ipv4: ipv4 ? 1 : 0, ipv6: ipv6 ? 1 : 0 };
  const config = {
    interface: provider.interfaceOf(node.metadata.name ?? ""),
    ifaddr: { ...(ipv4 ? { ipv4 } : {}), ...(ipv6 ? { ipv6 } : {}) },
    capacity: provider.capacityOf(node, used),
  };
  return JSON.stringify([config]);
}

function awsAddresses(instanceType: string | undefined): number {
  const size = instanceType?.split(".")[1];
  if (size === undefined) return AWS_ADDRESSES_DEFAULT;
  return (
    AWS_ADDRESSES[size] ?? (/^(\d+xlarge|metal)/.test(size) ? AWS_ADDRESSES_MOST : AWS_ADDRESSES_DEFAULT)
  );
}

function readNetworks(text: string | undefined): Cidr[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const given = [value["ipv4"], value["ipv6"]].filter((member) => member !== undefined && member !== "");
  const networks = given.map((member) => (typeof member === "string" ? parseCidr(member) : undefined));
  const read = networks.filter((cidr) => cidr !== undefined);
  return read.length > 0 && read.length === given.length ? read : undefined;
}

function isUninitialized(node: KubeObject): boolean {
  const taints = objectAt(node, "spec")?.["taints"];
  return Array.isArray(taints) && taints.some((taint) => isObject(taint) && taint["key"] === UNINITIALIZED);
}

const DIGEST_OFFSET = 0xcbf29ce484222325n;
const DIGEST_PRIME = 0x100000001b3n;

/** So many hexadecimal digits that are always the same for one text (FNV-1a, drawn out). */
function digestOf(text: string, digits: number): string {
  let hash = DIGEST_OFFSET;
  let drawn = "";
  for (let round = 0; drawn.length < digits; round++) {
    for (const byte of new TextEncoder().encode(`${text}${round}`)) {
      hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * DIGEST_PRIME);
    }
    drawn += hash.toString(16).padStart(16, "0");
  }
  return drawn.slice(0, digits);
}
