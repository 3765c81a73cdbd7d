// Generates nodes with unused names and addresses. Pure.

import { parsedJson, textsOf } from "../../apimachinery/json/json.ts";
import { type Cidr, cidrOf, ipFromValue, parseCidr, parseIp } from "../../apimachinery/meta/ip.ts";
import { greatest } from "../../apimachinery/meta/lists.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { StartError, UsageError } from "../errors.ts";
import { makeNode, type NodePlan } from "./make-node.ts";

export const NETWORK = "192.168.126.0/24";
const NAME = "worker";
export const COUNT_MAX = 5_000;
/** The first host address that is assigned. Lower ones are left for routers and the like. */
const FIRST_HOST = 10n;

export interface NewNodes {
  readonly count: number;
  /** Default: "worker". */
  readonly name?: string | undefined;
  readonly networks: readonly Cidr[];
  /** Zones are assigned in turn. */
  readonly zones: readonly string[];
  /** How many of the new nodes are egress-assignable, counted from the first. */
  readonly assignable: number;
  readonly shared: Pick<NodePlan, "region" | "platform" | "instanceType" | "labels" | "capacity">;
  /** RFC 3339. */
  readonly now: string;
}

/** Throws StartError where a network is too small. */
export function newNodes(plan: NewNodes, present: readonly KubeObject[]): KubeObject[] {
  const { count, networks, zones, assignable, shared, now } = plan;
  const addresses = freeAddresses(networks, count, present);
  return freeNames(plan.name ?? NAME, count, present).map((name, index) => {
    const zone = zones[index % Math.max(zones.length, 1)];
    const own = { name, zone, addresses: addresses[index] ?? [], assignable: index < assignable, now };
    return makeNode({ ...shared, ...own });
  });
}

/** At most one of each family, IPv4 first. Throws UsageError. */
export function networksIn(texts: readonly string[]): Cidr[] {
  const networks = texts.map((item) => {
    const network = parseCidr(item);
    if (!network) throw new UsageError(`--network ${item} is no network, such as ${NETWORK}`);
    return network;
  });
  const families = new Set(networks.map(({ family }) => family));
  if (networks.length === 0 || families.size < networks.length)
    throw new UsageError("--network names one network of each family at most");
  return networks.sort((a, b) => a.family - b.family);
}

/** Splits a comma-separated list. */
export const listed = (text = ""): string[] =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

/** "worker-1" and so on, after the highest number in use. */
function freeNames(prefix: string, count: number, present: readonly KubeObject[]): string[] {
  const numbers = present.flatMap(({ metadata: { name = "" } }) => {
    const digits = name.startsWith(`${prefix}-`) ? name.slice(prefix.length + 1) : "";
    return /^\d{1,9}$/.test(digits) ? [Number(digits)] : [];
  });
  const first = greatest(numbers, 0) + 1;
  return Array.from({ length: count }, (_, index) => `${prefix}-${first + index}`);
}

/** One address of each network per node. Throws StartError where a network has too few free addresses. */
function freeAddresses(networks: readonly Cidr[], count: number, present: readonly KubeObject[]): Cidr[][] {
  const taken = new Set(present.flatMap(hostAddresses));
  const byNetwork = networks.map((network) => {
    const { family, first, last, prefix } = network;
    const found: Cidr[] = [];
    for (let value = first + FIRST_HOST + 1n; found.length < count && value < last; value++) {
      const address = ipFromValue(family, value);
      if (!taken.has(address.text)) found.push(cidrOf(address, prefix));
    }
    if (found.length < count)
      throw new StartError(`${network.text} has no ${count} addresses left: name a larger --network`);
    return found;
  });
  return Array.from({ length: count }, (_, index) => byNetwork.flatMap((found) => found[index] ?? []));
}

const hostAddresses = ({ metadata }: KubeObject): string[] =>
  textsOf(parsedJson(metadata.annotations?.["k8s.ovn.org/host-cidrs"])).flatMap(
    (text) => parseIp(text.replace(/\/.*$/, ""))?.text ?? [],
  );
