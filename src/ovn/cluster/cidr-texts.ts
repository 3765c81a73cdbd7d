// Parsers for addresses and CIDRs in annotations and settings.
import {
  type Cidr,
  cidrContains,
  type IpAddress,
  type IpFamily,
  parseCidr,
  parseIp,
} from "../../apimachinery/meta/ip.ts";

/** Parses a CIDR; a node prefix length after a second slash is ignored. */
export const networkIn = (text: string): Cidr | undefined =>
  parseCidr(text.trim().split("/").slice(0, 2).join("/"));

/** The CIDRs of a comma-separated text; invalid entries are omitted. */
export const networksIn = (text: string): Cidr[] =>
  text.split(",").flatMap((entry) => networkIn(entry) ?? []);

/** The addresses of texts with or without a prefix length; invalid ones are omitted. */
export const addressesIn = (texts: readonly string[]): IpAddress[] =>
  texts.flatMap((text) => parseIp(text.split("/")[0] ?? "") ?? []);

export const isWithin = (networks: readonly Cidr[], ip: IpAddress): boolean =>
  networks.some((network) => cidrContains(network, ip));

export const ofFamily = <T extends { readonly family: IpFamily }>(
  values: readonly T[],
  family: IpFamily,
): T | undefined => values.find((value) => value.family === family);

/** Reports whether the text is a CIDR that contains the address. */
export function isInNetwork(text: string, ip: IpAddress): boolean {
  const cidr = parseCidr(text);
  return cidr !== undefined && cidrContains(cidr, ip);
}
