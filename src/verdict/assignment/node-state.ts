// What the allocator wants to know of a Node, read from its labels, annotations and conditions. An annotation that
// cannot be read leaves what was known before in force.

import type { Cidr } from "../../meta/ip.ts";
import { isObject, parsedJson } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { isReady } from "../../meta/object-meta.ts";
import {
  EGRESS_IP_CONFIG,
  PRIMARY_ADDRESSES,
  readCidrList,
  readFamilies,
  readPrimary,
  type WrittenCidr,
} from "./cidr-lists.ts";

/** Ours: "false" on a node that is to be taken for one that does not answer. */
export const REACHABLE = "egret.dev/reachable";

/** Ours: any text but "" and "false" on a node whose machine is down. */
export const FAILED = "egret.dev/failed";

export const hasFailed = ({ metadata }: KubeObject): boolean => {
  const said = metadata.annotations?.[FAILED] ?? "";
  return said !== "" && said !== "false";
};

/** True if the node would answer if it were asked now. */
export const answers = (node: KubeObject): boolean =>
  node.metadata.annotations?.[REACHABLE] !== "false" && !hasFailed(node);

export const NODE_SUBNETS_ANNOTATION = "k8s.ovn.org/node-subnets";
export const EGRESS_ASSIGNABLE_LABEL = "k8s.ovn.org/egress-assignable";
const HOST_CIDRS = "k8s.ovn.org/host-cidrs";

/** An annotation that was read: a node reports every few seconds, and mostly says the same as before. */
interface Reading<T> {
  readonly text: string | undefined;
  /** Undefined when the text cannot be read. */
  readonly now: T | undefined;
  /** What the last text said that could be read. */
  readonly last: T | undefined;
}

export interface NodeStateOptions {
  /** Networks and capacity are the cloud's to name. */
  readonly onCloud: boolean;
  /** False: a node's own addresses are its primary ones, and it has no other networks. */
  readonly hostCidrs: boolean;
  /** Nodes with this label are left alone: they have no network of pods (no-hostsubnet). Left out: all are looked at. */
  readonly noHostSubnet?: readonly [key: string, value: string] | undefined;
}

/** A node that label and readiness allow to be used; whether it is depends on its being known too. */
export const isUsable = ({ leftOut, labelled, ready }: NodeState): boolean => !leftOut && labelled && ready;

export const isEligible = (state: NodeState): boolean => isUsable(state) && state.known && state.reachable;

export interface NodeState {
  readonly name: string;
  /** The networks of the primary addresses; on a cloud, those that the cloud names. */
  readonly primary: readonly Cidr[];
  /** The networks of the host's other addresses; none on a cloud. */
  readonly secondary: readonly Cidr[];
  readonly capacity: Capacity;
  /** It is as if it were not there: neither for addresses nor as somebody who has one. */
  readonly leftOut: boolean;
  /** The label egress-assignable is there; its value means nothing. */
  readonly labelled: boolean;
  readonly ready: boolean;
  /** It would answer if it were asked now. */
  readonly answers: boolean;
  /** It is held to be reachable: it has answered when it was last asked. */
  readonly reachable: boolean;
  /** The node's addresses could be read at least once; only such a node can hold egress IPs. */
  readonly known: boolean;
  readonly cloudConfigText: string | undefined;
  readonly hostCidrsText: string | undefined;
  /** The addresses in host-cidrs, canonical; undefined when the annotation cannot be read now. */
  readonly hostAddresses: readonly string[] | undefined;
  /** The annotations from which the networks were made. */
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
  // What the cloud says counts only while the node's own address can be read too.
  const isCloudRead = saidPrimary.now !== undefined && onCloud;
  const saidCloud = isCloudRead ? readAnew(said?.cloud, cloudConfigText, readCloudConfig) : said?.cloud;
  const cloud = saidCloud?.last;
  // A node may have none, but not such as cannot be read.
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

/** The same text is not read again. */
function readAnew<T>(
  before: Reading<T> | undefined,
  text: string | undefined,
  read: (text: string | undefined) => T | undefined,
): Reading<T> {
  if (before !== undefined && before.text === text) return before;
  const now = read(text);
  return { text, now, last: now ?? before?.last };
}

/** {"default": "a/p"} or {"default": ["a/p", …]}. */
function readSubnets(text: string | undefined): true | undefined {
  const value = parsedJson(text);
  const subnets = isObject(value) ? value["default"] : undefined;
  const found = readCidrList(typeof subnets === "string" ? [subnets] : subnets);
  return found !== undefined && found.length > 0 ? true : undefined;
}

/** How many addresses a node takes; undefined where there is no limit. */
type Capacity = Readonly<Record<"total" | "ipv4" | "ipv6", number | undefined>>;

const UNLIMITED: Capacity = { total: undefined, ipv4: undefined, ipv6: undefined };

/** What a cloud says of a node: the networks that egress addresses may come from, and how many of them it takes. */
interface CloudConfig {
  readonly networks: readonly Cidr[];
  readonly capacity: Capacity;
}

/** From this number on a limit is none. */
const NO_LIMIT = 2 ** 31 - 1;

/** Reads the first entry of the list; undefined when the text is not such a list of at least one. */
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
 * The three limits are one variable to the controller that this one stands for: the number written last is the limit
 * for the total and for both families. A limit that is written as null is lifted for its own purpose.
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

/** The members in the order in which they are written; their names are read without regard to case. */
function members(value: unknown): Map<string, unknown> | undefined {
  if (value === null || value === undefined) return new Map();
  if (!isObject(value)) return undefined;
  return new Map(Object.entries(value).map(([key, member]) => [key.toLowerCase(), member]));
}
