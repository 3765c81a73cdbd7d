// The parts of an EgressIP object that its controller reads.
import { type IpAddress, parseIp } from "../../meta/ip.ts";
import { isObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";

export const MARK_ANNOTATION = "k8s.ovn.org/egressip-mark";

/** One entry of status.items. */
export interface StatusItem {
  readonly egressIP: string;
  readonly node: string;
}

/** An address that an EgressIP wants, or has wanted. */
export interface RequestedAddress {
  readonly egressIp: string;
  /** Canonical. */
  readonly address: string;
}

export interface EgressIp {
  readonly name: string;
  readonly uid: string;
  /** spec.egressIPs as written. */
  readonly requested: readonly string[];
  /** status.items; empty when there is none. */
  readonly items: readonly StatusItem[];
  readonly hasStatus: boolean;
  /** The mark annotation, whatever it says; undefined when the key is absent. */
  readonly mark: string | undefined;
}

export function readEgressIp({ metadata, ...fields }: KubeObject): EgressIp {
  const { spec, status } = fields as Record<string, unknown>; // an open type: members may be anything
  const requested = isObject(spec) && Array.isArray(spec["egressIPs"]) ? spec["egressIPs"] : [];
  const items = isObject(status) && Array.isArray(status["items"]) ? status["items"] : [];
  return {
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    requested: requested.map(String),
    items: items.filter(isObject).map((item) => ({
      egressIP: String(item["egressIP"] ?? ""),
      node: String(item["node"] ?? ""),
    })),
    hasStatus: isObject(status),
    mark: metadata.annotations?.[MARK_ANNOTATION],
  };
}

/** True if the numbers of addresses asked for and given differ; an address listed twice counts twice. */
export const isIncomplete = ({ requested, items }: EgressIp): boolean => requested.length !== items.length;

/** The addresses asked for, by canonical text; the first text that is none where there is one. */
export function readRequested({
  requested,
}: EgressIp): Map<string, IpAddress> | { readonly invalid: string } {
  const wanted = new Map<string, IpAddress>();
  for (const text of requested) {
    const ip = parseIp(text);
    if (!ip) return { invalid: text };
    wanted.set(ip.text, ip);
  }
  return wanted;
}
