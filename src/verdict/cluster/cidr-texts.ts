// Addresses and networks as annotations and settings write them.
import { type Cidr, cidrContains, type IpAddress, type IpFamily, parseCidr, parseIp } from "../../meta/ip.ts";

/** A network with or without the size of each node's share behind a second slash, which is passed over. */
export const networkIn = (text: string): Cidr | undefined =>
  parseCidr(text.trim().split("/").slice(0, 2).join("/"));

/** The networks of a text with commas; what is none is left out. */
export const networksIn = (text: string): Cidr[] =>
  text.split(",").flatMap((entry) => networkIn(entry) ?? []);

/** The addresses of texts, each with a prefix behind it or without; what is none is left out. */
export const addressesIn = (texts: readonly string[]): IpAddress[] =>
  texts.flatMap((text) => parseIp(text.split("/")[0] ?? "") ?? []);

export const isWithin = (networks: readonly Cidr[], ip: IpAddress): boolean =>
  networks.some((network) => cidrContains(network, ip));

export const ofFamily = <T extends { readonly family: IpFamily }>(
  values: readonly T[],
  family: IpFamily,
): T | undefined => values.find((value) => value.family === family);

/** Whether a text is a network, and the address is in it. */
export function isInNetwork(text: string, ip: IpAddress): boolean {
  const cidr = parseCidr(text);
  return cidr !== undefined && cidrContains(cidr, ip);
}
