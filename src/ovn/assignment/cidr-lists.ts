// Parsers for CIDR lists in annotations of nodes.

import { isObject, parsedJson } from "../../apimachinery/json/json.ts";
import { type Cidr, parseCidr } from "../../apimachinery/meta/ip.ts";

export const PRIMARY_ADDRESSES = "k8s.ovn.org/node-primary-ifaddr";
export const EGRESS_IP_CONFIG = "cloud.network.openshift.io/egress-ipconfig";

/** A CIDR with its text in the annotation. */
export interface WrittenCidr {
  readonly text: string;
  readonly cidr: Cidr;
}

/** Parses {"ipv4": "a/p", "ipv6": "a/p"}; undefined unless at least one is set and all are valid CIDRs. */
export function readPrimary(text: string | undefined): WrittenCidr[] | undefined {
  const value = parsedJson(text);
  const found = isObject(value) ? readFamilies(value["ipv4"], value["ipv6"]) : undefined;
  return found && found.length > 0 ? found : undefined;
}

/** The CIDRs that are set. */
export const readFamilies = (ipv4: unknown, ipv6: unknown): WrittenCidr[] | undefined =>
  readCidrList([ipv4, ipv6].filter((text) => (text ?? "") !== ""));

/** Undefined unless the value is a list of CIDRs. Go decodes null as an empty list. */
export function readCidrList(value: unknown): WrittenCidr[] | undefined {
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
