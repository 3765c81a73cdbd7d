// What a cloud says about a node's network interface in cloud.network.openshift.io/egress-ipconfig: the networks that
// egress addresses may come from, and how many of them the node takes.
import { type Cidr, parseCidr } from "../../../meta/ip.ts";
import { isObject } from "../../../meta/json.ts";
import { parseAnnotation } from "../../network-annotations/parse-annotation.ts";

export const CLOUD_CONFIG = "cloud.network.openshift.io/egress-ipconfig";

/** How many addresses a node takes; undefined where there is no limit. */
export interface Capacity {
  readonly total: number | undefined;
  readonly ipv4: number | undefined;
  readonly ipv6: number | undefined;
}

export const UNLIMITED: Capacity = { total: undefined, ipv4: undefined, ipv6: undefined };

export interface CloudConfig {
  readonly networks: readonly Cidr[];
  readonly capacity: Capacity;
}

/** From this number on a limit is none. */
const NO_LIMIT = 2 ** 31 - 1;

/** Reads the first entry of the list; undefined when the text is not such a list of at least one. */
export function readCloudConfig(text: string | undefined): CloudConfig | undefined {
  const list = parseAnnotation(text);
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const entries = list.map(readEntry);
  return entries.includes(undefined) ? undefined : entries[0];
}

function readEntry(value: unknown): CloudConfig | undefined {
  const entry = members(value);
  const addresses = members(entry?.get("ifaddr"));
  const capacity = readCapacity(entry?.get("capacity"));
  if (!entry || !addresses || !capacity || !isTextOrAbsent(entry.get("interface"))) return undefined;
  const networks: Cidr[] = [];
  for (const key of ["ipv4", "ipv6"]) {
    const text = addresses.get(key) ?? "";
    if (text === "") continue;
    const cidr = typeof text === "string" ? parseCidr(text) : undefined;
    if (!cidr) return undefined;
    networks.push(cidr);
  }
  return { networks, capacity };
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

const isTextOrAbsent = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === "string";
