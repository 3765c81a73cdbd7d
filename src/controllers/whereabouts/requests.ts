// What pods ask for. A pod names further networks in an annotation, as Multus reads it: a JSON list, or names with commas
// between them; what it was given is in another annotation, once it is set up. The configuration of a network says, in the
// part that Whereabouts reads, from which ranges an interface gets its addresses.

import { type Cidr, type IpAddress, parseCidr, parseIp } from "../../meta/ip.ts";
import {
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  parsedJson,
  parsedObject,
  textAt,
} from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { oncePer } from "../../meta/once-per.ts";
import { attempt, Complaint } from "../kit/conditions.ts";
import { configText } from "../networks/net-conf.ts";

const NETWORKS = "k8s.v1.cni.cncf.io/networks";
const NETWORK_STATUS = "k8s.v1.cni.cncf.io/network-status";
/** "NAMESPACE/NAME@INTERFACE", of which only the name has to be there. */
const SHORT = /^(?:([^/@]+)\/)?([^/@]+)(?:@([^/@]+))?$/;

export const asksForNetworks = ({ metadata }: KubeObject): boolean =>
  Boolean(metadata.annotations?.[NETWORKS]);

/** Nothing where the annotation cannot be read: such a pod is never set up. */
export const attachmentsOf = oncePer(({ metadata }: KubeObject) => {
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

/** The addresses that the pod is said to have, canonical; undefined while it is not set up. */
export const statusAddresses = oncePer(({ metadata }: KubeObject): ReadonlySet<string> | undefined => {
  const entries = parseList(metadata.annotations?.[NETWORK_STATUS]);
  if (!entries) return undefined;
  const texts = entries.flatMap(({ ips }) => (Array.isArray(ips) ? ips.map(String) : []));
  return new Set(texts.map((text) => parseIp(text)?.text ?? text));
});

export type IpRange = Readonly<ReturnType<typeof readRange>>;
export type IpamConfig = Readonly<NonNullable<ReturnType<typeof readIpamConfig>>>;

const TYPE = "whereabouts";

/** What a NetworkAttachmentDefinition says; undefined where Whereabouts has no part in it. Throws a Complaint. */
export function ipamConfigOf(nad: KubeObject): IpamConfig | undefined {
  const read = readOnce(nad);
  if (read instanceof Complaint) throw read;
  return read;
}

const readOnce = oncePer((nad: KubeObject) => attempt(() => readIpamConfig(parsedObject(configText(nad)))));

/** A configuration is of one plugin, or lists several. */
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
    /** Keeps pools and reservations of networks apart that use the same addresses; "" for none. */
    networkName: textAt(ipam, "network_name"),
    /** No address is given twice, in whatever range it lies. */
    overlappingRanges: ipam["enable_overlapping_ranges"] !== false,
  };
}

/** A range is a network, or "FIRST-LAST/PREFIX", which says start and end in one. */
function readRange(fields: JsonObject) {
  const text = textAt(fields, "range");
  const dash = text.indexOf("-");
  const cidr = parseCidr(text.slice(dash + 1));
  if (!cidr) throw new Complaint(`invalid CIDR ${text}`);
  const exclude = Array.isArray(fields["exclude"]) ? fields["exclude"].map(String) : [];
  return {
    /** The network that addresses come from. */
    cidr,
    start: dash < 0 ? addressIn(fields, "range_start") : addressOf(text.slice(0, dash)),
    end: dash < 0 ? addressIn(fields, "range_end") : cidr.address,
    /** Networks that no address comes from, and how they were written. */
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

/** An entry is a network or one address. */
function excludedNetwork(text: string): Cidr {
  const address = parseIp(text);
  const cidr = parseCidr(address ? `${text}/${address.family === 4 && !address.mapped ? 32 : 128}` : text);
  if (!cidr) throw new Complaint(`could not parse exclude range ${text}`);
  return cidr;
}
