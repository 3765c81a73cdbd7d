// IP addresses and networks, parsed and printed as by Go's net package: no leading zeros, no zones. An IPv4-mapped IPv6
// address is the IPv4 address. IPv6 text is lower case with the longest run of zeros compressed. Values are canonical,
// so two spellings of one address have equal texts.
import { IPv4Prefix, IPv6Prefix } from "ip-num";
import { cloneText } from "../go/clone.ts";

export type IpFamily = 4 | 6;

export interface IpAddress {
  readonly family: IpFamily;
  readonly value: bigint;
  /** Canonical. */
  readonly text: string;
  /** Whether it was written as an IPv4-mapped IPv6 address. */
  readonly mapped: boolean;
}

export interface Cidr {
  readonly family: IpFamily;
  /** The address as given, host bits included. */
  readonly address: IpAddress;
  readonly prefix: number;
  /** The first and the last address of the network. */
  readonly first: bigint;
  readonly last: bigint;
  /** The network, canonical: "192.168.126.0/24". */
  readonly text: string;
}

const DOTTED = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const HEX_DIGITS = 32;
/** Two or more groups of zeros. */
const ZEROS = /\b0(?::0)+\b/g;
const HEX_GROUP = /^[0-9a-fA-F]{1,4}$/;
const MAPPED_HIGH = 0xffffn;
const BITS = { 4: 32, 6: 128 } as const;

/** net.ParseIP: undefined unless the whole text is one address. */
export function parseIp(text: string): IpAddress | undefined {
  if (DOTTED.test(text)) return { family: 4, value: BigInt(dottedValue(text)), text, mapped: false };
  if (!isIpv6Text(text)) return undefined;
  const value = colonValue(text);
  if (value >> 32n === MAPPED_HIGH) return { ...ipFromValue(4, value & 0xffffffffn), mapped: true };
  return ipFromValue(6, value);
}

/** The value of a text that matches DOTTED. A hot path: engines parse tens of thousands of addresses. */
function dottedValue(text: string): number {
  let value = 0;
  for (const octet of text.split(".")) value = value * 256 + Number(octet);
  return value;
}

/** The value of a valid IPv6 text. */
function colonValue(text: string): bigint {
  const [before = [], behind = []] = text
    .split("::")
    .map((half) => (half === "" ? [] : half.split(":").map(hexOf)));
  const [head, tail] = [before.join(""), behind.join("")];
  return BigInt(`0x${head}${"0".repeat(HEX_DIGITS - head.length - tail.length)}${tail}`);
}

/** Four hex digits of a group, eight of a dotted suffix. */
const hexOf = (group: string): string =>
  group.includes(".") ? dottedValue(group).toString(16).padStart(8, "0") : group.padStart(4, "0");

/** Up to eight groups, "::" for at least one group of zeros, and dotted IPv4 in place of the last two. */
export function isIpv6Text(text: string, dotted = DOTTED, lengthMax = 45): boolean {
  if (text.length > lengthMax || !text.includes(":")) return false;
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.map((half) => (half === "" ? [] : half.split(":")));
  const last = groups.at(-1);
  let count = groups[0] === last ? (last?.length ?? 0) : groups.flat().length;
  const tail = last?.at(-1);
  if (tail?.includes(".")) {
    if (!dotted.test(tail)) return false;
    last?.pop();
    count += 1;
  }
  if (halves.length === 2 ? count > 7 : count !== 8) return false;
  return groups.flat().every((group) => HEX_GROUP.test(group));
}

/** The address of a number. */
export function ipFromValue(family: IpFamily, value: bigint): IpAddress {
  const text = family === 4 ? dottedText(Number(value)) : colonText(value);
  return { family, value, text, mapped: false };
}

/** The first of the longest runs of zeros is compressed, unless it is a single group. */
function colonText(value: bigint): string {
  const hex = value.toString(16).padStart(HEX_DIGITS, "0");
  const groups = (hex.match(/.{4}/g) ?? []).map((group) => group.replace(/^0{1,3}/, ""));
  const text = groups.join(":");
  const [longest] = [...text.matchAll(ZEROS)].sort(([a], [b]) => b.length - a.length);
  if (longest === undefined) return text;
  const end = longest.index + longest[0].length;
  return `${text.slice(0, longest.index).replace(/:$/, "")}::${text.slice(end).replace(/^:/, "")}`;
}

const dottedText = (value: number): string =>
  [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255].join(".");

/** Size of the cache of parsed CIDRs; invalid texts count, too, if they are short enough. */
const KNOWN_CIDRS_MAX = 20_000;
const CIDR_CHARACTERS_MAX = 64;
const knownCidrs = new Map<string, Cidr | undefined>();

/**
 * net.ParseCIDR: an address, a slash and a prefix length; host bits may be set. Memoized by text, since the same
 * annotations and rules are parsed frequently.
 */
export function parseCidr(text: string): Cidr | undefined {
  if (text.length > CIDR_CHARACTERS_MAX) return undefined;
  let cidr = knownCidrs.get(text);
  if (cidr === undefined && !knownCidrs.has(text)) {
    const own = cloneText(text); // does not keep the containing object in memory
    cidr = readCidr(own);
    if (knownCidrs.size >= KNOWN_CIDRS_MAX) knownCidrs.clear();
    knownCidrs.set(own, cidr);
  }
  return cidr;
}

function readCidr(text: string): Cidr | undefined {
  const slash = text.indexOf("/");
  const digits = text.slice(slash + 1);
  const address = slash < 0 ? undefined : parseIp(text.slice(0, slash));
  if (!address || !/^\d{1,8}$/.test(digits)) return undefined;
  const prefix = Number(digits);
  if (!address.mapped) return prefix <= BITS[address.family] ? cidrOf(address, prefix) : undefined;
  // The prefix of a mapped address counts over 128 bits; one shorter than the mapping itself is an IPv6 network.
  if (prefix > BITS[6]) return undefined;
  if (prefix >= 96) return cidrOf(address, prefix - 96);
  return cidrOf({ ...address, family: 6, value: (MAPPED_HIGH << 32n) | address.value }, prefix);
}

/** The network of the given prefix length around an address. */
export function cidrOf(address: IpAddress, prefix: number): Cidr {
  const { family } = address;
  const hostBits = BigInt(BITS[family] - prefix);
  const first = (address.value >> hostBits) << hostBits;
  const last = first | ((1n << hostBits) - 1n);
  return { family, address, prefix, first, last, text: `${ipFromValue(family, first).text}/${prefix}` };
}

/** The first address of the network of the given prefix length around an address. */
export const maskIp = (ip: IpAddress, prefix: number): bigint => ip.value & maskOf(ip.family, prefix);

const masks = new Map<number, bigint>();

function maskOf(family: IpFamily, prefix: number): bigint {
  const key = family * 1000 + prefix;
  let mask = masks.get(key);
  if (mask === undefined) {
    const made = family === 4 ? new IPv4Prefix(BigInt(prefix)) : new IPv6Prefix(BigInt(prefix));
    mask = made.toMask().value;
    masks.set(key, mask);
  }
  return mask;
}

/** Whether the network contains the address; families never mix. */
export function cidrContains(cidr: Cidr, ip: IpAddress): boolean {
  return cidr.family === ip.family && ip.value >= cidr.first && ip.value <= cidr.last;
}

/** Whether two networks share an address. */
export function cidrsOverlap(a: Cidr, b: Cidr): boolean {
  return a.family === b.family && a.first <= b.last && b.first <= a.last;
}

/**
 * Whether an address is in one of the networks. They are parsed at the first call, since most starts do not need them.
 */
export function inNetworks(texts: readonly string[]): (ip: IpAddress) => boolean {
  let networks: readonly Cidr[] | undefined;
  return (ip) => {
    networks ??= texts.flatMap((text) => parseCidr(text) ?? []);
    return networks.some((cidr) => cidrContains(cidr, ip));
  };
}

const isUnspecifiedOrBroadcast = inNetworks(["0.0.0.0/32", "::/128", "255.255.255.255/32"]);
const isMulticast = inNetworks(["224.0.0.0/4", "ff00::/8"]);
export const isLoopback = inNetworks(["127.0.0.0/8", "::1/128"]);
export const isLinkLocalUnicast = inNetworks(["169.254.0.0/16", "fe80::/10"]);

/**
 * net.IP.IsGlobalUnicast: any address but unspecified, broadcast, loopback, multicast and link-local; private addresses
 * count.
 */
export const isGlobalUnicast = (ip: IpAddress): boolean =>
  ![isUnspecifiedOrBroadcast, isMulticast, isLoopback, isLinkLocalUnicast].some((isIn) => isIn(ip));
