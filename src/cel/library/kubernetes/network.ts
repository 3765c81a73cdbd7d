// Addresses, networks and URLs: ip(), cidr(), url() and what can be asked of them.

import { goQuote } from "../../../go/strconv.ts";
import { hostnameOf, parseUrl, portOf, queryOf, requestUriProblem, type Url } from "../../../go/url.ts";
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
import {
  formatAddress,
  type IpAddress,
  type IpPrefix,
  isMappedIPv4,
  maskedPrefix,
  parseAddress,
  parsePrefix,
  sameAddress,
  samePrefix,
} from "./ip-address.ts";

export const IP = new LibraryType<IpAddress>(opaque("net.IP"), sameAddress);
export const CIDR = new LibraryType<IpPrefix>(opaque("net.CIDR"), samePrefix);
const URLS = new LibraryType<Url>(struct("kubernetes.URL"), (a, b) => a.text === b.text);
const declare = declareWith({ IP: IP.type, CIDR: CIDR.type, URL: URLS.type });

type Ip = LibraryValue<IpAddress>;
type Cidr = LibraryValue<IpPrefix>;

const FAILED = "parse error during conversion from string";

/** What is wrong with an address, or the address. */
function readIp(text: string): IpAddress | string {
  const parsed = parseAddress(text);
  if ("problem" in parsed) return `IP Address ${goQuote(text)} ${FAILED}: ${parsed.problem}`;
  if (parsed.ok.zone !== "") return `IP address ${goQuote(text)} with zone value is not allowed`;
  return isMappedIPv4(parsed.ok) ? `IPv4-mapped IPv6 address ${goQuote(text)} is not allowed` : parsed.ok;
}

function readCidr(text: string): IpPrefix | string {
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

function toCidr(text: string): Cidr {
  const found = readCidr(text);
  if (typeof found === "string") throw new CelError(`network address ${FAILED}: ${found}`);
  return CIDR.of(found);
}

function containsIp(prefix: IpPrefix, address: IpAddress): boolean {
  return containsCidr(prefix, { address, bits: address.family === 4 ? 32 : 128 });
}

function containsCidr(outer: IpPrefix, inner: IpPrefix): boolean {
  if (outer.address.family !== inner.address.family || outer.bits > inner.bits) return false;
  return samePrefix(maskedPrefix(outer), maskedPrefix(inner, outer.bits));
}

/** A text that is no address counts as an argument of the wrong type here. */
function containsIpText(cidr: Cidr, text: string): Value {
  const found = readIp(text);
  if (typeof found === "string") throw noSuchOverload();
  return containsIp(cidr.content, found);
}

const isLoopback = ({ family, value }: IpAddress): boolean =>
  family === 4 ? value >> 24n === 127n : value === 1n;
const isMulticast = ({ family, value }: IpAddress): boolean =>
  family === 4 ? value >> 28n === 0xen : value >> 120n === 0xffn;
const isLinkLocal = ({ family, value }: IpAddress): boolean =>
  family === 4 ? value >> 16n === 0xa9fen : value >> 118n === 0x3fan;
const isLinkLocalMulticast = ({ family, value }: IpAddress): boolean =>
  family === 4 ? value >> 8n === 0xe00000n : ((value >> 112n) & 0xff0fn) === 0xff02n;
const isBroadcast = ({ family, value }: IpAddress): boolean => family === 4 && value === 0xffffffffn;

function isGlobalUnicast(address: IpAddress): boolean {
  if (address.value === 0n || isBroadcast(address)) return false;
  return !isLoopback(address) && !isMulticast(address) && !isLinkLocal(address);
}

const ipTest = (name: string, test: (address: IpAddress) => boolean): FunctionDecl =>
  declare(`IP.${name}() -> bool`, ({ content }: Ip) => test(content));

const ADDRESS_BYTES = { min: 4, max: 16 };

/** Compares bytes of addresses, and reads the other side where it is a text. */
const containing = (networks: boolean): Price => ({
  cost: ([within, inner]) => {
    const prefix = CIDR.contentOf(within);
    const each = (times: number) =>
      prefix ? Math.ceil(Math.ceil(prefix.bits / 8) * times * TRAVERSAL) : traverse(within, times);
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
  declare("CIDR.ip() -> IP", ({ content }: Cidr) => IP.of(content.address)),
  declare("isIP(string) -> bool", (text: string) => typeof readIp(text) !== "string", scan),
  declare(
    "ip.isCanonical(string) -> bool",
    (text: string) => formatAddress(toIp(text).content) === text,
    scanTwice,
  ),
  declare("IP.family() -> int", ({ content }: Ip) => BigInt(content.family)),
  ipTest("isUnspecified", ({ value }) => value === 0n),
  ipTest("isLoopback", isLoopback),
  ipTest("isLinkLocalMulticast", isLinkLocalMulticast),
  ipTest("isLinkLocalUnicast", isLinkLocal),
  ipTest("isGlobalUnicast", isGlobalUnicast),
  declare("cidr(string) -> CIDR", toCidr, scan),
  declare("isCIDR(string) -> bool", (text: string) => typeof readCidr(text) !== "string", scan),
  declare("CIDR.containsIP(string) -> bool", containsIpText, containing(false)),
  declare("CIDR.containsIP(IP) -> bool", (a: Cidr, b: Ip) => containsIp(a.content, b.content)),
  declare(
    "CIDR.containsCIDR(string) -> bool",
    (a: Cidr, text: string) => containsCidr(a.content, toCidr(text).content),
    containing(true),
  ),
  declare("CIDR.containsCIDR(CIDR) -> bool", (a: Cidr, b: Cidr) => containsCidr(a.content, b.content)),
  declare("CIDR.prefixLength() -> int", ({ content }: Cidr) => BigInt(content.bits)),
  declare("CIDR.masked() -> CIDR", ({ content }: Cidr) => CIDR.of(maskedPrefix(content))),
  declare("string(IP) -> string", ({ content }: Ip) => formatAddress(content)),
  declare(
    "string(CIDR) -> string",
    ({ content }: Cidr) => `${formatAddress(content.address)}/${content.bits}`,
  ),
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
