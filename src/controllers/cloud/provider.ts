// The clouds: what they say about a node's network interface, each by its own rules (the name of the interface, its
// networks, and how many addresses it takes beside the node's own), and how they answer requests.

import type { IpAddress } from "../../meta/ip.ts";
import { lookupTable, objectAt, objectsAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { PRIMARY_ADDRESSES, readPrimary } from "../../verdict/assignment/cidr-lists.ts";
import type { CloudPrivateIpConfig } from "../../verdict/assignment/cloud-request.ts";
import type { Platform } from "../../verdict/snapshot.ts";
import { resourceIn } from "../kit/api.ts";

const INSTANCE_TYPE = "node.kubernetes.io/instance-type";
const UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized";

interface Provider {
  /** An address goes from node to node in one request; elsewhere it is released first. */
  readonly canMove?: true;
  interfaceOf(node: string): string;
  /** `used`: how many addresses of its own the node has. */
  capacityOf(node: KubeObject, used: Record<"ipv4" | "ipv6", number>): Readonly<Record<string, number>>;
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
    interfaceOf: (node) => `eni-0${digestOf(node, 16)}`,
    capacityOf: (node, { ipv4, ipv6 }) => {
      const addresses = awsAddresses(node.metadata.labels?.[INSTANCE_TYPE]);
      return { ipv4: addresses - ipv4, ipv6: addresses - ipv6 };
    },
  },
  azure: {
    interfaceOf: (node) => `/${node}-nic`,
    capacityOf: (_node, { ipv4, ipv6 }) => ({ ip: 256 - ipv4 - ipv6 }),
  },
  gcp: {
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

export const canMove = (platform: Platform): boolean =>
  platform !== "none" && PROVIDERS[platform].canMove === true;

/** The annotation's text; undefined as long as the node is not initialised or has no readable address. */
export function egressIpConfigOf(platform: Platform, node: KubeObject): string | undefined {
  const networks = readPrimary(node.metadata.annotations?.[PRIMARY_ADDRESSES]);
  if (platform === "none" || !networks || isUninitialized(node)) return undefined;
  const provider = PROVIDERS[platform];
  const [ipv4, ipv6] = [4, 6].map((family) => networks.find(({ cidr }) => cidr.family === family)?.cidr.text);
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
  const other = /^(\d+xlarge|metal)/.test(size) ? AWS_ADDRESSES_MOST : AWS_ADDRESSES_DEFAULT;
  return AWS_ADDRESSES[size] ?? other;
}

const isUninitialized = (node: KubeObject): boolean =>
  objectsAt(objectAt(node, "spec"), "taints").some(({ key }) => key === UNINITIALIZED);

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

/** Ours: how many milliseconds the cloud takes. */
const LATENCY = "egret.dev/cloud-latency-ms";
/** Ours: the error with which the cloud refuses. */
const ERROR = "egret.dev/cloud-error";

// The cloud itself, as far as there is one, does what it is asked, after a while and unless it is told to refuse.
// Annotations on a Node or a CloudPrivateIPConfig say so for requests about them.

export function latencyOf(concerned: readonly (KubeObject | undefined)[]): number {
  const given = concerned.map((object) => Number(object?.metadata.annotations?.[LATENCY] ?? Number.NaN));
  return given.find((ms) => Number.isFinite(ms) && ms >= 0) ?? 0;
}

export const refusalOf = (concerned: readonly (KubeObject | undefined)[]): string | undefined =>
  concerned.map((object) => object?.metadata.annotations?.[ERROR]).find((text) => text !== undefined);

/** True if what the cloud is told about the object has changed. */
export const isToldOtherwise = (before: KubeObject, now: KubeObject): boolean =>
  [LATENCY, ERROR].some((key) => before.metadata.annotations?.[key] !== now.metadata.annotations?.[key]);

// CloudPrivateIPConfig objects as their controllers read them: each asks the cloud for one address on one node, and its
// name is the address.

export const CLOUD_PRIVATE_IP_CONFIGS = resourceIn(
  "cloud.network.openshift.io",
  "v1",
  "cloudprivateipconfigs",
);
/** Keeps an object until the cloud has released its address. */
export const FINALIZER = "cloudprivateipconfig.cloud.network.openshift.io/finalizer";

/** True if the cloud says that what it was last asked for is done; only its first condition is looked at. */
export function isDone({ status }: CloudPrivateIpConfig): boolean {
  const [first] = status.conditions;
  return first?.type === "Assigned" && first.status === "True";
}

/** IPv4 as it is; IPv6 in eight full groups joined by dots: fc00.f853.0ccd.e793.0000.0000.0000.0054. */
export function nameOfAddress({ family, value, text }: IpAddress): string {
  if (family === 4) return text;
  const digits = value.toString(16).padStart(32, "0");
  return (digits.match(/.{4}/g) ?? []).join(".");
}
