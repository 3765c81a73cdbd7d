// The node state that the allocator uses, from labels, annotations and conditions. If an annotation becomes invalid, the
// last valid value stays in force.

import { isObject, parsedJson } from "../../apimachinery/json/json.ts";
import type { Cidr } from "../../apimachinery/meta/ip.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { isReady } from "../../apimachinery/meta/object-meta.ts";
import { answers, NODE_SUBNETS_ANNOTATION } from "../../cluster/node-annotations.ts";
import {
  EGRESS_IP_CONFIG,
  PRIMARY_ADDRESSES,
  readCidrList,
  readFamilies,
  readPrimary,
  type WrittenCidr,
} from "./cidr-lists.ts";

export const EGRESS_ASSIGNABLE_LABEL = "k8s.ovn.org/egress-assignable";
const HOST_CIDRS = "k8s.ovn.org/host-cidrs";

/** A parsed annotation, kept because nodes are updated every few seconds and the text rarely changes. */
interface Reading<T> {
  readonly text: string | undefined;
  /** Undefined if the text is invalid. */
  readonly now: T | undefined;
  /** The value of the last valid text. */
  readonly last: T | undefined;
}

export interface NodeStateOptions {
  /** Networks and capacity come from egress-ipconfig. */
  readonly onCloud: boolean;
  /** False: host-cidrs are not read, so a node has its primary addresses and networks only. */
  readonly hostCidrs: boolean;
  /** The no-hostsubnet selector: nodes with this label are ignored (src/ovn/rules.md R81). Absent: none is ignored. */
  readonly noHostSubnet?: readonly [key: string, value: string] | undefined;
}

/** Labelled, ready and not ignored. To be eligible the node must also be known and reachable. */
export const isUsable = ({ leftOut, labelled, ready }: NodeState): boolean => !leftOut && labelled && ready;

export const isEligible = (state: NodeState): boolean => isUsable(state) && state.known && state.reachable;

export interface NodeState {
  readonly name: string;
  /** Networks of the primary addresses; on a cloud those of egress-ipconfig. */
  readonly primary: readonly Cidr[];
  /** Networks of the other host addresses; empty on a cloud. */
  readonly secondary: readonly Cidr[];
  readonly capacity: Capacity;
  /** The node is ignored: neither candidate nor checked for conflicts with its host addresses. */
  readonly leftOut: boolean;
  /** The node has the label egress-assignable, with any value. */
  readonly labelled: boolean;
  readonly ready: boolean;
  /** A reachability probe would succeed now. */
  readonly answers: boolean;
  /** The result of the last reachability probe. */
  readonly reachable: boolean;
  /** The node's annotations were valid at least once; only known nodes can hold allocations. */
  readonly known: boolean;
  readonly cloudConfigText: string | undefined;
  readonly hostCidrsText: string | undefined;
  /** Canonical addresses of host-cidrs; undefined if the annotation is absent or invalid now. */
  readonly hostAddresses: readonly string[] | undefined;
  /** The parsed annotations. */
  readonly said: {
    readonly primary: Reading<readonly WrittenCidr[]>;
    readonly host: Reading<readonly WrittenCidr[]>;
    readonly subnets: Reading<true>;
    readonly cloud: Reading<CloudConfig> | undefined;
  };
}

export function readNodeState(
  node: KubeObject,
  before: NodeState | undefined,
  { onCloud, hostCidrs, noHostSubnet }: NodeStateOptions,
): NodeState {
  const { name = "", labels = {}, annotations = {} } = node.metadata;
  const said = before?.said;
  const saidPrimary = readAnew(said?.primary, annotations[PRIMARY_ADDRESSES], readPrimary);
  const primary = saidPrimary.last ?? [];
  const hostCidrsText = hostCidrs ? annotations[HOST_CIDRS] : undefined;
  const saidHost = readAnew(said?.host, hostCidrsText, (text) => readCidrList(parsedJson(text)));
  const hostNow = hostCidrs ? saidHost.now : primary;
  const subnets = readAnew(said?.subnets, annotations[NODE_SUBNETS_ANNOTATION], readSubnets);
  const cloudConfigText = annotations[EGRESS_IP_CONFIG];
  // egress-ipconfig is parsed only while node-primary-ifaddr is valid.
  const isCloudRead = saidPrimary.now !== undefined && onCloud;
  const saidCloud = isCloudRead ? readAnew(said?.cloud, cloudConfigText, readCloudConfig) : said?.cloud;
  const cloud = saidCloud?.last;
  // node-subnets may be absent, but not invalid.
  const hasSubnets = subnets.last === true || annotations[NODE_SUBNETS_ANNOTATION] === undefined;
  const others = (hostNow ?? saidHost.last ?? []).filter(
    ({ text }) => !primary.some((own) => own.text === text),
  );
  const known = primary.length > 0 && hasSubnets && (cloud !== undefined || !onCloud);
  const leftOut = noHostSubnet !== undefined && labels[noHostSubnet[0]] === noHostSubnet[1];
  const state = {
    name,
    leftOut,
    labelled: Object.hasOwn(labels, EGRESS_ASSIGNABLE_LABEL),
    ready: isReady(node),
    answers: answers(node),
    reachable: before?.reachable ?? false,
    known,
    primary: onCloud ? (cloud?.networks ?? []) : primary.map(({ cidr }) => cidr),
    secondary: onCloud ? [] : others.map(({ cidr }) => cidr),
    capacity: (onCloud ? cloud?.capacity : undefined) ?? UNLIMITED,
    cloudConfigText,
    hostCidrsText,
    hostAddresses: hostNow?.map(({ cidr }) => cidr.address.text),
    said: { primary: saidPrimary, host: saidHost, subnets, cloud: saidCloud },
  };
  return leftOut ? { ...state, known: false, primary: [], secondary: [], hostAddresses: [] } : state;
}

/** Parses the text unless it is unchanged. */
function readAnew<T>(
  before: Reading<T> | undefined,
  text: string | undefined,
  read: (text: string | undefined) => T | undefined,
): Reading<T> {
  if (before !== undefined && before.text === text) return before;
  const now = read(text);
  return { text, now, last: now ?? before?.last };
}

/** Validates {"default": "a/p"} or {"default": ["a/p", …]}. */
function readSubnets(text: string | undefined): true | undefined {
  const value = parsedJson(text);
  const subnets = isObject(value) ? value["default"] : undefined;
  const found = readCidrList(typeof subnets === "string" ? [subnets] : subnets);
  return found !== undefined && found.length > 0 ? true : undefined;
}

/** Maximum number of addresses of a node; undefined: unlimited. */
type Capacity = Readonly<Record<"total" | "ipv4" | "ipv6", number | undefined>>;

const UNLIMITED: Capacity = { total: undefined, ipv4: undefined, ipv6: undefined };

/** Parsed egress-ipconfig: networks for egress addresses, and the capacity. */
interface CloudConfig {
  readonly networks: readonly Cidr[];
  readonly capacity: Capacity;
}

/** Upstream's sentinel for "unlimited". */
const NO_LIMIT = 2 ** 31 - 1;

/** Parses the list and returns its first entry; undefined if the list is empty or any entry is invalid. */
export function readCloudConfig(text: string | undefined): CloudConfig | undefined {
  const list = parsedJson(text);
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const entries = list.map(readEntry);
  return entries.includes(undefined) ? undefined : entries[0];
}

function readEntry(value: unknown): CloudConfig | undefined {
  const entry = members(value);
  const addresses = members(entry?.get("ifaddr"));
  const capacity = readCapacity(entry?.get("capacity"));
  if (!entry || !addresses || !capacity || typeof (entry.get("interface") ?? "") !== "string")
    return undefined;
  const networks = readFamilies(addresses.get("ipv4"), addresses.get("ipv6"));
  return networks && { networks: networks.map(({ cidr }) => cidr), capacity };
}

/**
 * Upstream parses the three limits into one variable, so the last number applies to the total and to both families
 * (src/ovn/rules.md R107). A limit of null is unlimited for its own key.
 */
function readCapacity(value: unknown): Capacity | undefined {
  const given = members(value);
  if (!given) return undefined;
  let limit: number | undefined;
  for (const [key, number] of given) {
    if (!LIMITS.has(key) || number === null) continue;
    if (!Number.isSafeInteger(number)) return undefined;
    limit = Number(number);
  }
  if (limit !== undefined && limit >= NO_LIMIT) limit = undefined;
  const limitOf = (key: string): number | undefined => (given.get(key) === null ? undefined : limit);
  return { total: limitOf("ip"), ipv4: limitOf("ipv4"), ipv6: limitOf("ipv6") };
}

const LIMITS = new Set(["ip", "ipv4", "ipv6"]);

/** Members in document order with lower-case names, since Go matches names case-insensitively. */
function members(value: unknown): Map<string, unknown> | undefined {
  if (value === null || value === undefined) return new Map();
  if (!isObject(value)) return undefined;
  return new Map(Object.entries(value).map(([key, member]) => [key.toLowerCase(), member]));
}
