// The part of a network configuration that Whereabouts reads: from which ranges an interface gets its addresses.

import { oncePerObject } from "../../client/once-per-object.ts";
import { type Cidr, type IpAddress, parseCidr, parseIp } from "../../meta/ip.ts";
import { isObject, type JsonObject, objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { configText } from "../networks/net-conf.ts";

export interface IpRange {
  /** The network that addresses come from. */
  readonly cidr: Cidr;
  readonly start: IpAddress | undefined;
  readonly end: IpAddress | undefined;
  /** Networks that no address comes from, and how they were written. */
  readonly excluded: readonly Cidr[];
  readonly excludeTexts: readonly string[];
}

export interface IpamConfig {
  readonly ranges: readonly IpRange[];
  /** Keeps pools and reservations of networks apart that use the same addresses; "" for none. */
  readonly networkName: string;
  /** No address is given twice, in whatever range it lies. */
  readonly overlappingRanges: boolean;
}

/** Whereabouts cannot work with the configuration, or has nothing left; the message goes to the pod's owner. */
export class IpamError extends Error {}

const TYPE = "whereabouts";

/** What a NetworkAttachmentDefinition says; undefined where Whereabouts has no part in it. Throws IpamError. */
export function ipamConfigOf(nad: KubeObject): IpamConfig | undefined {
  const read = readOnce(nad);
  if (read instanceof IpamError) throw read;
  return read;
}

const readOnce = oncePerObject((nad): IpamConfig | undefined | IpamError => {
  try {
    return readIpamConfig(configText(nad));
  } catch (error) {
    if (error instanceof IpamError) return error;
    throw error;
  }
});

function readIpamConfig(config: string): IpamConfig | undefined {
  const ipam = findIpam(parse(config));
  if (!ipam) return undefined;
  if (ipam["node_slice_size"]) throw new IpamError("node_slice_size is not supported");
  const own = typeof ipam["range"] === "string" && ipam["range"] !== "" ? [ipam] : [];
  const further = Array.isArray(ipam["ipRanges"]) ? ipam["ipRanges"].filter(isObject) : [];
  const ranges = [...own, ...further].map(readRange);
  if (ranges.length === 0) throw new IpamError("no IP ranges are configured");
  return {
    ranges,
    networkName: textAt(ipam, "network_name"),
    overlappingRanges: ipam["enable_overlapping_ranges"] !== false,
  };
}

/** A configuration is of one plugin, or lists several. */
function findIpam(config: JsonObject | undefined): JsonObject | undefined {
  const plugins = Array.isArray(config?.["plugins"]) ? config["plugins"].filter(isObject) : [];
  return [...(config ? [config] : []), ...plugins]
    .map((plugin) => objectAt(plugin, "ipam"))
    .find((ipam) => ipam?.["type"] === TYPE);
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A range is a network, or "FIRST-LAST/PREFIX", which says start and end in one. */
function readRange(fields: JsonObject): IpRange {
  const text = textAt(fields, "range");
  const dash = text.indexOf("-");
  const cidr = parseCidr(text.slice(dash + 1));
  if (!cidr) throw new IpamError(`invalid CIDR ${text}`);
  const exclude = Array.isArray(fields["exclude"]) ? fields["exclude"].map(String) : [];
  return {
    cidr,
    start: dash < 0 ? addressAt(fields, "range_start") : addressOf(text.slice(0, dash)),
    end: dash < 0 ? addressAt(fields, "range_end") : cidr.address,
    excluded: exclude.map(excludedNetwork),
    excludeTexts: exclude,
  };
}

function addressAt(fields: JsonObject, key: string): IpAddress | undefined {
  const text = textAt(fields, key);
  return text === "" ? undefined : addressOf(text);
}

function addressOf(text: string): IpAddress {
  const address = parseIp(text);
  if (!address) throw new IpamError(`invalid IP address ${text}`);
  return address;
}

/** An entry is a network or one address. */
function excludedNetwork(text: string): Cidr {
  const address = parseIp(text);
  const cidr = parseCidr(address ? `${text}/${address.family === 4 && !address.mapped ? 32 : 128}` : text);
  if (!cidr) throw new IpamError(`could not parse exclude range ${text}`);
  return cidr;
}

function textAt(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === "string" ? value : "";
}
