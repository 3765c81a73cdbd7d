// Port lists of rules: which protocols and ports they match.
import { type JsonObject, numberAt, textAt } from "../../apimachinery/json/json.ts";
import type { Destination, Protocol } from "./packet-path.ts";

export const protocolOf = (entry: JsonObject): Protocol | undefined => {
  const text = (textAt(entry, "protocol") || "TCP").toLowerCase();
  return text === "tcp" || text === "udp" || text === "sctp" ? text : undefined;
};

/**
 * The list of an EgressFirewall or NetworkQoS rule: empty matches everything, entries are alternatives, and an entry without
 * a port matches its whole protocol. No entry matches ICMP (src/ovn/rules.md R35).
 */
export const portsHold = (entries: readonly JsonObject[], { protocol, port }: Destination): boolean =>
  entries.length === 0 ||
  entries.some((entry) => {
    const wanted = numberAt(entry, "port") ?? 0;
    return protocolOf(entry) === protocol && (wanted === 0 || wanted === port);
  });

/** Reports whether the request has no port although the rule lists ports of the protocol. */
export const needsPort = (entries: readonly JsonObject[], { protocol, port }: Destination): boolean =>
  port === undefined && entries.some((entry) => protocolOf(entry) === protocol);
