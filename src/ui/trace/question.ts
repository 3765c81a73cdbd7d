// Trace request: as URL parameters, as request body, and as command.

import type { Protocol } from "../../ovn/trace/packet-path.ts";
import type { TraceRequest } from "../../ovn/trace/trace.ts";
import type { Route } from "../frame/route.ts";

export const PROTOCOLS: readonly Protocol[] = ["tcp", "udp", "sctp", "icmp"];

export interface TraceQuestion {
  /** pod/NAMESPACE/NAME, ns/NAME, or "" for all pods. */
  readonly from: string;
  readonly to: string;
  readonly protocol: Protocol;
}

export function questionOf({ query }: Route): TraceQuestion {
  const protocol = PROTOCOLS.find((one) => one === query.get("proto")) ?? "tcp";
  return { from: fullName(query.get("from") ?? ""), to: (query.get("to") ?? "").trim(), protocol };
}

/** NAMESPACE/NAME is a pod, NAME alone a namespace. */
export function fullName(text: string): string {
  const trimmed = text.trim();
  const { length } = trimmed.split("/");
  if (trimmed === "" || /^(?:pod|ns|namespace)\//.test(trimmed))
    return trimmed.replace(/^namespace\//, "ns/");
  return length === 1 ? `ns/${trimmed}` : `pod/${trimmed}`;
}

export const paramsOf = ({ from, to, protocol }: TraceQuestion): Readonly<Record<string, string>> => ({
  from,
  to,
  proto: protocol === "tcp" ? "" : protocol,
});

/** The request for one pod and one destination; undefined for several pods, or without a destination. */
export function requestOf({ from, to, protocol }: TraceQuestion): TraceRequest | undefined {
  const [kind, namespace, pod] = from.split("/");
  if (kind !== "pod" || !namespace || !pod || to === "") return undefined;
  return { namespace, pod, to, protocol };
}

export const isMany = ({ from }: TraceQuestion): boolean => !from.startsWith("pod/");

/** The equivalent command. */
export function commandOf({ from, to, protocol }: TraceQuestion): string {
  const words = [
    "egret trace",
    ...(from.startsWith("pod/") ? [from] : from === "" ? ["--matrix"] : ["--from", from]),
  ];
  if (to !== "") words.push("--to", /^[\w./:@%+=,-]+$/.test(to) ? to : `'${to.replaceAll("'", "'\\''")}'`);
  if (protocol !== "tcp") words.push("--protocol", protocol);
  return words.join(" ");
}
