// Address requests of pods. Annotation k8s.v1.cni.cncf.io/networks lists attachments in the syntax of Multus: a JSON list or
// comma-separated names. Annotation network-status has the result after the setup. The "ipam" section of a network
// configuration lists the ranges for the addresses of an interface.

import {
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  parsedJson,
  parsedObject,
  textAt,
} from "../../../apimachinery/json/json.ts";
import { type Cidr, type IpAddress, parseCidr, parseIp } from "../../../apimachinery/meta/ip.ts";
import { memoize } from "../../../apimachinery/meta/memoize.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { attempt, Complaint } from "../../../controller/conditions.ts";
import { configText } from "../networks/net-conf.ts";

const NETWORKS = "k8s.v1.cni.cncf.io/networks";
const NETWORK_STATUS = "k8s.v1.cni.cncf.io/network-status";
/** "NAMESPACE/NAME@INTERFACE"; only the name is required. */
const SHORT = /^(?:([^/@]+)\/)?([^/@]+)(?:@([^/@]+))?$/;

export const asksForNetworks = ({ metadata }: KubeObject): boolean =>
  Boolean(metadata.annotations?.[NETWORKS]);

/** Attachments of the pod; empty if the annotation is invalid, since such a pod is never set up. */
export const attachmentsOf = memoize(({ metadata }: KubeObject) => {
  const text = metadata.annotations?.[NETWORKS]?.trim() ?? "";
  if (text === "") return [];
  const namespace = metadata.namespace ?? "";
  const entries = text.startsWith("[") ? parseList(text) : text.split(",").map(parseShort);
  if (!entries || entries.includes(undefined)) return [];
  return entries
    .filter((entry) => entry !== undefined)
    .map((entry, index) => ({
      namespace: textAt(entry, "namespace") || namespace,
      name: textAt(entry, "name"),
      interfaceName: textAt(entry, "interface") || `net${index + 1}`,
    }));
});

function parseShort(text: string): JsonObject | undefined {
  const match = SHORT.exec(text.trim());
  return match ? { namespace: match[1], name: match[2], interface: match[3] } : undefined;
}

function parseList(text: string | undefined): JsonObject[] | undefined {
  const value = parsedJson(text);
  return Array.isArray(value) && value.every(isObject) ? value : undefined;
}

/** Canonical addresses in network-status; undefined before the pod is set up. */
export const statusAddresses = memoize(({ metadata }: KubeObject): ReadonlySet<string> | undefined => {
  const entries = parseList(metadata.annotations?.[NETWORK_STATUS]);
  if (!entries) return undefined;
  const texts = entries.flatMap(({ ips }) => (Array.isArray(ips) ? ips.map(String) : []));
  return new Set(texts.map((text) => parseIp(text)?.text ?? text));
});

export type IpRange = Readonly<ReturnType<typeof readRange>>;
export type IpamConfig = Readonly<NonNullable<ReturnType<typeof readIpamConfig>>>;

const TYPE = "whereabouts";

/** The Whereabouts configuration of a NAD; undefined if it has another IPAM plugin. Throws a Complaint. */
export function ipamConfigOf(nad: KubeObject): IpamConfig | undefined {
  const read = readOnce(nad);
  if (read instanceof Complaint) throw read;
  return read;
}

const readOnce = memoize((nad: KubeObject) => attempt(() => readIpamConfig(parsedObject(configText(nad)))));

/** Reads the configuration of a single plugin, or of a plugin list. */
function readIpamConfig(config: JsonObject | undefined) {
  const plugins = [...(config ? [config] : []), ...objectsAt(config, "plugins")];
  const ipam = plugins.map((plugin) => objectAt(plugin, "ipam")).find((item) => item?.["type"] === TYPE);
  if (!ipam) return undefined;
  if (ipam["node_slice_size"]) throw new Complaint("node_slice_size is not supported");
  const own = textAt(ipam, "range") === "" ? [] : [ipam];
  const ranges = [...own, ...objectsAt(ipam, "ipRanges")].map(readRange);
  if (ranges.length === 0) throw new Complaint("no IP ranges are configured");
  return {
    ranges,
    /** Prefix that separates pools and reservations of networks with the same addresses; "" for none. */
    networkName: textAt(ipam, "network_name"),
    /** An address is unique across all ranges. */
    overlappingRanges: ipam["enable_overlapping_ranges"] !== false,
  };
}

/** Parses a range: a CIDR, or "FIRST-LAST/PREFIX" with start and end. */
function readRange(fields: JsonObject) {
  const text = textAt(fields, "range");
  const dash = text.indexOf("-");
  const cidr = parseCidr(text.slice(dash + 1));
  if (!cidr) throw new Complaint(`invalid CIDR ${text}`);
  const exclude = Array.isArray(fields["exclude"]) ? fields["exclude"].map(String) : [];
  return {
    /** The CIDR of the range. */
    cidr,
    start: dash < 0 ? addressIn(fields, "range_start") : addressOf(text.slice(0, dash)),
    end: dash < 0 ? addressIn(fields, "range_end") : cidr.address,
    /** Excluded CIDRs, and their texts for messages. */
    excluded: exclude.map(excludedNetwork),
    excludeTexts: exclude,
  };
}

function addressIn(fields: JsonObject, key: string): IpAddress | undefined {
  const text = textAt(fields, key);
  return text === "" ? undefined : addressOf(text);
}

function addressOf(text: string): IpAddress {
  const address = parseIp(text);
  if (!address) throw new Complaint(`invalid IP address ${text}`);
  return address;
}

/** Parses a CIDR or a single address. */
function excludedNetwork(text: string): Cidr {
  const address = parseIp(text);
  const cidr = parseCidr(address ? `${text}/${address.family === 4 && !address.mapped ? 32 : 128}` : text);
  if (!cidr) throw new Complaint(`could not parse exclude range ${text}`);
  return cidr;
}
