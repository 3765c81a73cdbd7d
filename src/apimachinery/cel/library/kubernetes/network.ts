// Addresses, networks and URLs: ip(), cidr(), url() and their member functions.

import { goQuote } from "../../../go/strconv.ts";
import { hostnameOf, parseUrl, portOf, queryOf, requestUriProblem, type Url } from "../../../go/url.ts";
import {
  type Cidr,
  cidrContains,
  cidrOf,
  type IpAddress,
  inNetworks,
  ipFromValue,
  isGlobalUnicast,
  isLinkLocalUnicast,
  isLoopback,
} from "../../../meta/ip.ts";
import { opaque, struct } from "../../language/types.ts";
import { ArrayList, EntryMap } from "../../values/collections.ts";
import { CelError, LibraryType, type LibraryValue, noSuchOverload, type Value } from "../../values/value.ts";
import { declareWith, type FunctionDecl } from "../declare.ts";
import {
  addCosts,
  costToTraverse,
  type Price,
  scan,
  scanTwice,
  sizeAt,
  TRAVERSAL,
  transform,
  traverse,
} from "../price.ts";
import { isMappedIPv4, parseAddress, parsePrefix } from "./ip-address.ts";

export const IP = new LibraryType<IpAddress>(opaque("net.IP"), (a, b) => a.text === b.text);
export const CIDR = new LibraryType<Cidr>(
  opaque("net.CIDR"),
  (a, b) => a.prefix === b.prefix && a.address.text === b.address.text,
);
const URLS = new LibraryType<Url>(struct("kubernetes.URL"), (a, b) => a.text === b.text);
const declare = declareWith({ IP: IP.type, CIDR: CIDR.type, URL: URLS.type });

type Ip = LibraryValue<IpAddress>;
type Network = LibraryValue<Cidr>;

const FAILED = "parse error during conversion from string";

/** The address, or the error. */
function readIp(text: string): IpAddress | string {
  const parsed = parseAddress(text);
  if ("problem" in parsed) return `IP Address ${goQuote(text)} ${FAILED}: ${parsed.problem}`;
  const { address, zone } = parsed.ok;
  if (zone !== "") return `IP address ${goQuote(text)} with zone value is not allowed`;
  return isMappedIPv4(address) ? `IPv4-mapped IPv6 address ${goQuote(text)} is not allowed` : address;
}

function readCidr(text: string): Cidr | string {
  const parsed = parsePrefix(text);
  if ("problem" in parsed) return `network address ${FAILED}: ${parsed.problem}`;
  return isMappedIPv4(parsed.ok.address)
    ? `IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`
    : parsed.ok;
}

function toIp(text: string): Ip {
  const found = readIp(text);
  if (typeof found === "string") throw new CelError(found);
  return IP.of(found);
}

function toCidr(text: string): Network {
  const found = readCidr(text);
  if (typeof found === "string") throw new CelError(`network address ${FAILED}: ${found}`);
  return CIDR.of(found);
}

const containsCidr = ({ content: outer }: Network, { content: inner }: Network): boolean =>
  outer.prefix <= inner.prefix && cidrContains(outer, inner.address);

/** A text that is no address counts as an argument of the wrong type here. */
function containsIpText({ content }: Network, text: string): Value {
  const found = readIp(text);
  if (typeof found === "string") throw noSuchOverload();
  return cidrContains(content, found);
}

const isUnspecified = inNetworks(["0.0.0.0/32", "::/128"]);
/** For IPv6 any flags, which precede the scope. */
const isLinkLocalMulticast = inNetworks([
  "224.0.0.0/24",
  ...[..."0123456789abcdef"].map((flags) => `ff${flags}2::/16`),
]);

const ipTest = (name: string, test: (address: IpAddress) => boolean): FunctionDecl =>
  declare(`IP.${name}() -> bool`, ({ content }: Ip) => test(content));

const ADDRESS_BYTES = { min: 4, max: 16 };

/** Compares bytes of addresses, and parses the other operand if it is a text. */
const containing = (networks: boolean): Price => ({
  cost: ([within, inner]) => {
    const prefix = CIDR.contentOf(within);
    const each = (times: number) =>
      prefix ? Math.ceil(Math.ceil(prefix.prefix / 8) * times * TRAVERSAL) : traverse(within, times);
    return each(2) + (networks ? each(1) + 1 : 0) + (typeof inner === "string" ? traverse(inner) : 0);
  },
  estimate: (operands, { args }) => ({
    cost: addCosts([
      costToTraverse(ADDRESS_BYTES, 2) + (networks ? costToTraverse(ADDRESS_BYTES) + 1 : 0),
      args[1]?.kind === "string" ? Math.ceil(sizeAt(operands, 1).max * TRAVERSAL) : 0,
    ]),
  }),
});

const readingIp: Price = { cost: ([text]) => (typeof text === "string" ? traverse(text) : 1) };

export const networkFunctions = (): FunctionDecl[] => [
  declare("ip(string) -> IP", toIp, readingIp),
  declare("CIDR.ip() -> IP", ({ content }: Network) => IP.of(content.address)),
  declare("isIP(string) -> bool", (text: string) => typeof readIp(text) !== "string", scan),
  declare("ip.isCanonical(string) -> bool", (text: string) => toIp(text).content.text === text, scanTwice),
  declare("IP.family() -> int", ({ content }: Ip) => BigInt(content.family)),
  ipTest("isUnspecified", isUnspecified),
  ipTest("isLoopback", isLoopback),
  ipTest("isLinkLocalMulticast", isLinkLocalMulticast),
  ipTest("isLinkLocalUnicast", isLinkLocalUnicast),
  ipTest("isGlobalUnicast", isGlobalUnicast),
  declare("cidr(string) -> CIDR", toCidr, scan),
  declare("isCIDR(string) -> bool", (text: string) => typeof readCidr(text) !== "string", scan),
  declare("CIDR.containsIP(string) -> bool", containsIpText, containing(false)),
  declare("CIDR.containsIP(IP) -> bool", (a: Network, b: Ip) => cidrContains(a.content, b.content)),
  declare(
    "CIDR.containsCIDR(string) -> bool",
    (a: Network, text: string) => containsCidr(a, toCidr(text)),
    containing(true),
  ),
  declare("CIDR.containsCIDR(CIDR) -> bool", containsCidr),
  declare("CIDR.prefixLength() -> int", ({ content }: Network) => BigInt(content.prefix)),
  declare("CIDR.masked() -> CIDR", ({ content: { family, first, prefix } }: Network) =>
    CIDR.of(cidrOf(ipFromValue(family, first), prefix)),
  ),
  declare("string(IP) -> string", ({ content }: Ip) => content.text),
  declare("string(CIDR) -> string", ({ content }: Network) => `${content.address.text}/${content.prefix}`),
];

function toUrl(text: string): Value {
  const found = parseUrl(text);
  if (typeof found === "string") throw new CelError(`URL ${FAILED}: ${found}`);
  return URLS.of(found);
}

function queryMap(url: Url): Value {
  const map = new EntryMap();
  for (const [key, values] of queryOf(url)) map.insert(key, new ArrayList(values));
  return map;
}

const urlPart = (name: string, type: string, take: (url: Url) => Value): FunctionDecl =>
  declare(`URL.${name}() -> ${type}`, ({ content }: LibraryValue<Url>) => take(content));

export const urlFunctions = (): FunctionDecl[] => [
  declare("url(string) -> URL", toUrl, transform),
  declare("isURL(string) -> bool", (text: string) => requestUriProblem(text) === undefined),
  urlPart("getScheme", "string", ({ scheme }) => scheme),
  urlPart("getHost", "string", ({ host }) => host),
  urlPart("getHostname", "string", hostnameOf),
  urlPart("getPort", "string", portOf),
  urlPart("getEscapedPath", "string", ({ escapedPath }) => escapedPath),
  urlPart("getQuery", "map(string, list(string))", queryMap),
];
