// Addresses and networks: ip(), cidr() and what can be asked of them.

import { goQuote } from "../../../go/strconv.ts";
import { type FunctionDecl, global, member } from "../../language/overload.ts";
import { BOOL, type CelType, INT, opaque, STRING } from "../../language/types.ts";
import { CelError, noSuchOverload } from "../../values/cel-error.ts";
import type { OpaqueValue, Value } from "../../values/value.ts";
import { instanceAt, Opaque, textAt } from "../args.ts";
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

export const IP = opaque("net.IP");
export const CIDR = opaque("net.CIDR");

class IpValue extends Opaque {
  readonly celType: CelType = IP;
  readonly address: IpAddress;
  constructor(address: IpAddress) {
    super();
    this.address = address;
  }
  equals(other: OpaqueValue): boolean {
    return other instanceof IpValue && sameAddress(this.address, other.address);
  }
}

export class CidrValue extends Opaque {
  readonly celType: CelType = CIDR;
  readonly prefix: IpPrefix;
  constructor(prefix: IpPrefix) {
    super();
    this.prefix = prefix;
  }
  equals(other: OpaqueValue): boolean {
    return other instanceof CidrValue && samePrefix(this.prefix, other.prefix);
  }
}

/** What is wrong with an address, or the address. */
function readIp(text: string): IpAddress | string {
  const parsed = parseAddress(text);
  if ("problem" in parsed) {
    return `IP Address ${goQuote(text)} parse error during conversion from string: ${parsed.problem}`;
  }
  if (parsed.ok.zone !== "") return `IP address ${goQuote(text)} with zone value is not allowed`;
  return isMappedIPv4(parsed.ok) ? `IPv4-mapped IPv6 address ${goQuote(text)} is not allowed` : parsed.ok;
}

function readCidr(text: string): IpPrefix | string {
  const parsed = parsePrefix(text);
  if ("problem" in parsed)
    return `network address parse error during conversion from string: ${parsed.problem}`;
  return isMappedIPv4(parsed.ok.address)
    ? `IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`
    : parsed.ok;
}

function toIp(text: string): IpValue {
  const found = readIp(text);
  if (typeof found === "string") throw new CelError(found);
  return new IpValue(found);
}

function toCidr(text: string): CidrValue {
  const found = readCidr(text);
  if (typeof found === "string") {
    throw new CelError(`network address parse error during conversion from string: ${found}`);
  }
  return new CidrValue(found);
}

function containsIp(prefix: IpPrefix, address: IpAddress): boolean {
  if (prefix.address.family !== address.family) return false;
  const { bits } = prefix;
  return samePrefix(maskedPrefix(prefix), maskedPrefix({ address, bits }));
}

function containsCidr(outer: IpPrefix, inner: IpPrefix): boolean {
  if (outer.address.family !== inner.address.family || outer.bits > inner.bits) return false;
  return samePrefix(maskedPrefix(outer), maskedPrefix(inner, outer.bits));
}

type Args = readonly Value[];
const cidrAt = (args: Args, index: number): IpPrefix => instanceAt(args, index, CidrValue).prefix;
const ipAt = (args: Args, index: number): IpAddress => instanceAt(args, index, IpValue).address;

/** A text that is no address counts as an argument of the wrong type here. */
function containsIpText(args: Args): Value {
  const found = readIp(textAt(args, 1));
  if (typeof found === "string") throw noSuchOverload();
  return containsIp(cidrAt(args, 0), found);
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

const ipTest = (name: string, id: string, test: (address: IpAddress) => boolean): FunctionDecl => ({
  name,
  overloads: [member(id, [IP], BOOL, (args) => test(ipAt(args, 0)))],
});

function cidrFunctions(): FunctionDecl[] {
  return [
    {
      name: "cidr",
      overloads: [global("string_to_cidr", [STRING], CIDR, (args) => toCidr(textAt(args, 0)))],
    },
    {
      name: "isCIDR",
      overloads: [global("is_cidr", [STRING], BOOL, (args) => typeof readCidr(textAt(args, 0)) !== "string")],
    },
    {
      name: "containsIP",
      overloads: [
        member("cidr_contains_ip_string", [CIDR, STRING], BOOL, containsIpText),
        member("cidr_contains_ip_ip", [CIDR, IP], BOOL, (args) => containsIp(cidrAt(args, 0), ipAt(args, 1))),
      ],
    },
    {
      name: "containsCIDR",
      overloads: [
        member("cidr_contains_cidr_string", [CIDR, STRING], BOOL, (args) =>
          containsCidr(cidrAt(args, 0), toCidr(textAt(args, 1)).prefix),
        ),
        member("cidr_contains_cidr", [CIDR, CIDR], BOOL, (args) =>
          containsCidr(cidrAt(args, 0), cidrAt(args, 1)),
        ),
      ],
    },
    {
      name: "prefixLength",
      overloads: [member("cidr_prefix_length", [CIDR], INT, (args) => BigInt(cidrAt(args, 0).bits))],
    },
    {
      name: "masked",
      overloads: [
        member("cidr_masked", [CIDR], CIDR, (args) => new CidrValue(maskedPrefix(cidrAt(args, 0)))),
      ],
    },
    {
      name: "string",
      overloads: [
        global("ip_to_string", [IP], STRING, (args) => formatAddress(ipAt(args, 0))),
        global("cidr_to_string", [CIDR], STRING, (args) => {
          const { address, bits } = cidrAt(args, 0);
          return `${formatAddress(address)}/${bits}`;
        }),
      ],
    },
  ];
}

export function networkFunctions(): FunctionDecl[] {
  const isIp = (args: Args): Value => typeof readIp(textAt(args, 0)) !== "string";
  const isCanonical = (args: Args): Value => formatAddress(toIp(textAt(args, 0)).address) === textAt(args, 0);
  return [
    {
      name: "ip",
      overloads: [
        global("string_to_ip", [STRING], IP, (args) => toIp(textAt(args, 0))),
        member("cidr_ip", [CIDR], IP, (args) => new IpValue(cidrAt(args, 0).address)),
      ],
    },
    { name: "isIP", overloads: [global("is_ip", [STRING], BOOL, isIp)] },
    { name: "ip.isCanonical", overloads: [global("ip_is_canonical", [STRING], BOOL, isCanonical)] },
    { name: "family", overloads: [member("ip_family", [IP], INT, (args) => BigInt(ipAt(args, 0).family))] },
    ipTest("isUnspecified", "ip_is_unspecified", ({ value }) => value === 0n),
    ipTest("isLoopback", "ip_is_loopback", isLoopback),
    ipTest("isLinkLocalMulticast", "ip_is_link_local_multicast", isLinkLocalMulticast),
    ipTest("isLinkLocalUnicast", "ip_is_link_local_unicast", isLinkLocal),
    ipTest("isGlobalUnicast", "ip_is_global_unicast", isGlobalUnicast),
    ...cidrFunctions(),
  ];
}
