// Cloud providers: the egress-ipconfig of a node (interface name, networks, free capacity), and the responses to requests.

import { lookupTable, objectAt, objectsAt } from "../../../apimachinery/json/json.ts";
import type { IpAddress } from "../../../apimachinery/meta/ip.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { resourceIn } from "../../../controller/api.ts";
import type { Platform } from "../../../controller/emulated-release.ts";
import { PRIMARY_ADDRESSES, readPrimary } from "../../assignment/cidr-lists.ts";
import type { CloudPrivateIpConfig } from "../../assignment/cloud-request.ts";

const INSTANCE_TYPE = "node.kubernetes.io/instance-type";
const UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized";

interface Provider {
  /** One request moves an address to another node; other clouds release it first. */
  readonly canMove?: true;
  interfaceOf(node: string): string;
  /** `used`: number of the node's own addresses. */
  capacityOf(node: KubeObject, used: Record<"ipv4" | "ipv6", number>): Readonly<Record<string, number>>;
}

/** Addresses per interface by instance size, an approximation that ignores the instance family. */
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
    // GCP counts alias ranges only, and a node has none of its own.
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

/** The annotation's text; undefined while the node is tainted as uninitialized or has no valid primary address. */
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

/** A deterministic hexadecimal digest of the given length (repeated FNV-1a). */
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

/** Annotation of this project: the cloud's latency in milliseconds. */
const LATENCY = "egret.dev/cloud-latency-ms";
/** Annotation of this project: the error with which the cloud rejects requests. */
const ERROR = "egret.dev/cloud-error";

// The simulated cloud grants every request after its latency. Annotations on the Node or the CloudPrivateIPConfig set the
// latency or an error.

export function latencyOf(concerned: readonly (KubeObject | undefined)[]): number {
  const given = concerned.map((object) => Number(object?.metadata.annotations?.[LATENCY] ?? Number.NaN));
  return given.find((ms) => Number.isFinite(ms) && ms >= 0) ?? 0;
}

export const refusalOf = (concerned: readonly (KubeObject | undefined)[]): string | undefined =>
  concerned.map((object) => object?.metadata.annotations?.[ERROR]).find((text) => text !== undefined);

/** Reports whether the latency or error annotation has changed. */
export const isToldOtherwise = (before: KubeObject, now: KubeObject): boolean =>
  [LATENCY, ERROR].some((key) => before.metadata.annotations?.[key] !== now.metadata.annotations?.[key]);

// CloudPrivateIPConfigs in the controllers: each requests one address on one node, and its name is the address.

export const CLOUD_PRIVATE_IP_CONFIGS = resourceIn(
  "cloud.network.openshift.io",
  "v1",
  "cloudprivateipconfigs",
);
/** Finalizer that delays deletion until the cloud has released the address. */
export const FINALIZER = "cloudprivateipconfig.cloud.network.openshift.io/finalizer";

/** Reports whether the last request succeeded; as in upstream, only the first condition is read. */
export function isDone({ status }: CloudPrivateIpConfig): boolean {
  const [first] = status.conditions;
  return first?.type === "Assigned" && first.status === "True";
}

/** IPv4 unchanged; IPv6 as eight four-digit groups joined by dots: fc00.f853.0ccd.e793.0000.0000.0000.0054. */
export function nameOfAddress({ family, value, text }: IpAddress): string {
  if (family === 4) return text;
  const digits = value.toString(16).padStart(32, "0");
  return (digits.match(/.{4}/g) ?? []).join(".");
}
