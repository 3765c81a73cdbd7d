// IP addresses and prefixes as Go's net/netip parses and formats them: no leading zeros, one text per address. Error
// messages are netip's too, since rules show them.

import { goQuote } from "../../../go/strconv.ts";
import { type Cidr, cidrOf, type IpAddress, ipFromValue } from "../../../meta/ip.ts";
import { append } from "../../../meta/lists.ts";

/** A parsed address with its zone, "" if it has none. */
interface Zoned {
  readonly address: IpAddress;
  readonly zone: string;
}

/** An address or prefix, or the error. */
type Parsed<T> = { readonly ok: T } | { readonly problem: string };

class Problem extends Error {}

const explain = (message: string, at: string): string =>
  at === "" ? message : `${message} (at ${goQuote(at)})`;
const fail = (message: string, at = ""): never => {
  throw new Problem(explain(message, at));
};

export function parseAddress(text: string): Parsed<Zoned> {
  try {
    return { ok: read(text) };
  } catch (error) {
    if (error instanceof Problem) return { problem: `ParseAddr(${goQuote(text)}): ${error.message}` };
    throw error;
  }
}

function read(text: string): Zoned {
  const mark = /[.:%]/.exec(text)?.[0];
  if (mark === ".") return { address: ipFromValue(4, readIPv4(text)), zone: "" };
  if (mark === ":") return readIPv6(text);
  return fail(mark === "%" ? "missing IPv6 address" : "unable to parse IP");
}

function readIPv4(text: string): bigint {
  let value = 0n;
  let fields = 0;
  let octet = "";
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if (letter >= "0" && letter <= "9") {
      if (octet === "0") fail("IPv4 field has octet with leading zero");
      octet += letter;
      if (Number(octet) > 255) fail("IPv4 field has value >255");
    } else if (letter === ".") {
      if (octet === "" || at === text.length - 1)
        fail("IPv4 field must have at least one digit", text.slice(at));
      if (fields === 3) fail("IPv4 address too long");
      value = value * 256n + BigInt(octet);
      octet = "";
      fields++;
    } else fail("unexpected character", text.slice(at));
  }
  if (fields < 3) fail("IPv4 address too short");
  return value * 256n + BigInt(octet);
}

function readIPv6(text: string): Zoned {
  const percent = text.indexOf("%");
  const zone = percent < 0 ? "" : text.slice(percent + 1);
  if (percent >= 0 && zone === "") fail("zone must be a non-empty string");
  const groups = readGroups(percent < 0 ? text : text.slice(0, percent));
  const value = groups.reduce((sum, group) => sum * 65536n + BigInt(group), 0n);
  return { address: ipFromValue(6, value), zone };
}

/** The eight groups of an IPv6 address, with "::" expanded. */
function readGroups(text: string): number[] {
  const groups: number[] = [];
  let gap = text.startsWith("::") ? 0 : -1;
  let rest = gap === 0 ? text.slice(2) : text;
  while (rest !== "" && groups.length < 8) {
    const digits = /^[\da-fA-F]*/.exec(rest)?.[0] ?? "";
    if (digits.length > 4) fail("each group must have 4 or less digits", rest);
    if (digits === "") fail("each colon-separated field must have at least one digit", rest);
    if (rest[digits.length] === ".") {
      append(groups, readEmbedded(rest, groups.length, gap));
      rest = "";
      break;
    }
    groups.push(Number.parseInt(digits, 16));
    rest = rest.slice(digits.length);
    if (rest === "") break;
    if (rest[0] !== ":") fail("unexpected character, want colon", rest);
    if (rest.length === 1) fail("colon must be followed by more characters", rest);
    rest = rest.slice(1);
    if (rest[0] !== ":") continue;
    if (gap >= 0) fail("multiple :: in address", rest);
    gap = groups.length;
    rest = rest.slice(1);
  }
  if (rest !== "") fail("trailing garbage after address", rest);
  return fillGap(groups, gap);
}

function readEmbedded(rest: string, count: number, gap: number): number[] {
  if (gap < 0 && count !== 6) {
    fail("embedded IPv4 address must replace the final 2 fields of the address", rest);
  }
  if (count + 2 > 8) fail("too many hex fields to fit an embedded IPv4 at the end of the address", rest);
  const value = Number(readIPv4(rest));
  return [Math.floor(value / 65536), value % 65536];
}

function fillGap(groups: readonly number[], gap: number): number[] {
  const missing = 8 - groups.length;
  if (missing === 0 && gap >= 0) fail("the :: must expand to at least one field of zeros");
  if (missing > 0 && gap < 0) fail("address string too short");
  if (missing === 0) return [...groups];
  return [...groups.slice(0, gap), ...new Array<number>(missing).fill(0), ...groups.slice(gap)];
}

/** An IPv4 address written in IPv6 (::ffff:1.2.3.4). */
export const isMappedIPv4 = ({ family, value }: IpAddress): boolean =>
  family === 6 && value >> 32n === 0xffffn;

export function parsePrefix(text: string): Parsed<Cidr> {
  const problem = (message: string): Parsed<Cidr> => ({
    problem: `netip.ParsePrefix(${goQuote(text)}): ${message}`,
  });
  const slash = text.lastIndexOf("/");
  if (slash < 0) return problem("no '/'");
  const parsed = parseAddress(text.slice(0, slash));
  if ("problem" in parsed) return problem(parsed.problem);
  const { address, zone } = parsed.ok;
  if (zone !== "") return problem("IPv6 zones cannot be present in a prefix");
  const bits = text.slice(slash + 1);
  if (!/^(0|[1-9]\d*)$/.test(bits)) return problem(`bad bits after slash: ${goQuote(bits)}`);
  if (Number(bits) > (address.family === 4 ? 32 : 128)) return problem("prefix length out of range");
  return { ok: cidrOf(address, Number(bits)) };
}
