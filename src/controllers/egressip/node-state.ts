// What the allocator wants to know of a Node, read from its labels, annotations and conditions. An annotation that
// cannot be read leaves what was known before in force.
import { type Cidr, parseCidr } from "../../meta/ip.ts";
import { isObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { isReady } from "../kit/api.ts";
import { answers } from "../kit/reachability.ts";
import { NODE_SUBNETS_ANNOTATION } from "../network-annotations/node-parts.ts";
import { parseAnnotation } from "../network-annotations/parse-annotation.ts";
import {
  type Capacity,
  CLOUD_CONFIG,
  type CloudConfig,
  readCloudConfig,
  UNLIMITED,
} from "./cloud/cloud-config.ts";

export const EGRESS_ASSIGNABLE_LABEL = "k8s.ovn.org/egress-assignable";
const PRIMARY_ADDRESSES = "k8s.ovn.org/node-primary-ifaddr";
const HOST_CIDRS = "k8s.ovn.org/host-cidrs";

/** One address with its prefix, as written in an annotation. */
interface WrittenCidr {
  readonly text: string;
  readonly cidr: Cidr;
}

export interface NodeState {
  readonly name: string;
  /** The label egress-assignable is there; its value means nothing. */
  readonly labelled: boolean;
  /** Condition Ready is True. */
  readonly ready: boolean;
  /** It would answer if it were asked now. */
  readonly answers: boolean;
  /** It is held to be reachable: it has answered when it was last asked. */
  readonly reachable: boolean;
  /** The node's addresses could be read at least once; only such a node can hold egress IPs. */
  readonly known: boolean;
  /** The networks of the primary addresses; on a cloud, those that the cloud names. */
  readonly primary: readonly Cidr[];
  /** The networks of the host's other addresses; none on a cloud. */
  readonly secondary: readonly Cidr[];
  readonly capacity: Capacity;
  /** The cloud's annotation as it stands. */
  readonly cloudConfigText: string | undefined;
  /** host-cidrs as it stands in the annotation; undefined when absent. */
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

/** An annotation that was read: a node reports every few seconds, and mostly says the same as before. */
interface Reading<T> {
  readonly text: string | undefined;
  /** Undefined when the text cannot be read. */
  readonly now: T | undefined;
  /** What the last text said that could be read. */
  readonly last: T | undefined;
}

export interface NodeStateOptions {
  /** A node is known only when its node-subnets could be read as well; else also when it has none. */
  readonly requireNodeSubnets: boolean;
  /** Networks and capacity are the cloud's to name. */
  readonly onCloud: boolean;
  /** False: a node's own addresses are its primary ones, and it has no other networks. */
  readonly hostCidrs: boolean;
}

/** A node that label and readiness allow to be used; whether it is depends on its being known too. */
export const isUsable = ({ labelled, ready }: NodeState): boolean => labelled && ready;

export const isEligible = (state: NodeState): boolean => isUsable(state) && state.known && state.reachable;

export function readNodeState(
  node: KubeObject,
  before: NodeState | undefined,
  { requireNodeSubnets, onCloud, hostCidrs }: NodeStateOptions,
): NodeState {
  const { name = "", labels = {}, annotations = {} } = node.metadata;
  const said = before?.said;
  const saidPrimary = readAnew(said?.primary, annotations[PRIMARY_ADDRESSES], readPrimary);
  const primary = saidPrimary.last ?? [];
  const hostCidrsText = hostCidrs ? annotations[HOST_CIDRS] : undefined;
  const saidHost = readAnew(said?.host, hostCidrsText, readHost);
  const hostNow = hostCidrs ? saidHost.now : primary;
  const subnets = readAnew(said?.subnets, annotations[NODE_SUBNETS_ANNOTATION], readSubnets);
  const cloudConfigText = annotations[CLOUD_CONFIG];
  // What the cloud says counts only while the node's own address can be read too.
  const isCloudRead = saidPrimary.now !== undefined && onCloud;
  const saidCloud = isCloudRead ? readAnew(said?.cloud, cloudConfigText, readCloudConfig) : said?.cloud;
  const cloud = saidCloud?.last;
  const mayLackSubnets = !requireNodeSubnets && annotations[NODE_SUBNETS_ANNOTATION] === undefined;
  const hasSubnets = subnets.last === true || mayLackSubnets;
  const known = primary.length > 0 && hasSubnets && (cloud !== undefined || !onCloud);
  return {
    name,
    labelled: Object.hasOwn(labels, EGRESS_ASSIGNABLE_LABEL),
    ready: isReady(node),
    answers: answers(node),
    reachable: before?.reachable ?? false,
    known,
    ...(onCloud ? networksOfCloud(cloud) : networksOfHost(primary, hostNow ?? saidHost.last ?? [])),
    cloudConfigText,
    hostCidrsText,
    hostAddresses: hostNow?.map(({ cidr }) => cidr.address.text),
    said: { primary: saidPrimary, host: saidHost, subnets, cloud: saidCloud },
  };
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

type NodeNetworks = Pick<NodeState, "primary" | "secondary" | "capacity">;

const networksOfCloud = (cloud: CloudConfig | undefined): NodeNetworks => ({
  primary: cloud?.networks ?? [],
  secondary: [],
  capacity: cloud?.capacity ?? UNLIMITED,
});

function networksOfHost(primary: readonly WrittenCidr[], host: readonly WrittenCidr[]): NodeNetworks {
  const primaryTexts = new Set(primary.map(({ text }) => text));
  return {
    primary: primary.map(({ cidr }) => cidr),
    secondary: host.filter(({ text }) => !primaryTexts.has(text)).map(({ cidr }) => cidr),
    capacity: UNLIMITED,
  };
}

/** {"ipv4": "a/p", "ipv6": "a/p"}: at least one of them, each with a prefix. */
function readPrimary(text: string | undefined): WrittenCidr[] | undefined {
  const value = parseAnnotation(text);
  if (!isObject(value)) return undefined;
  const texts = [value["ipv4"] ?? "", value["ipv6"] ?? ""].filter((item) => item !== "");
  return texts.length > 0 ? readCidrList(texts) : undefined;
}

/** {"default": "a/p"} or {"default": ["a/p", …]}. */
function readSubnets(text: string | undefined): true | undefined {
  const value = parseAnnotation(text);
  const subnets = isObject(value) ? value["default"] : undefined;
  const found = readCidrList(typeof subnets === "string" ? [subnets] : subnets);
  return found !== undefined && found.length > 0 ? true : undefined;
}

const readHost = (text: string | undefined): WrittenCidr[] | undefined => readCidrList(parseAnnotation(text));

/** Undefined unless the value is a list of addresses, each with a prefix. Go takes null for an empty list. */
function readCidrList(value: unknown): WrittenCidr[] | undefined {
  if (value === null) return [];
  if (!Array.isArray(value)) return undefined;
  const read: WrittenCidr[] = [];
  for (const text of value) {
    const cidr = typeof text === "string" ? parseCidr(text) : undefined;
    if (!cidr) return undefined;
    read.push({ text, cidr });
  }
  return read;
}
