// Lists of ports in rules: which protocols and ports they hold.
import { type JsonObject, numberAt, textAt } from "../../meta/json.ts";
import type { Destination, Protocol } from "./way.ts";

export const protocolOf = (entry: JsonObject): Protocol | undefined => {
  const text = (textAt(entry, "protocol") || "TCP").toLowerCase();
  return text === "tcp" || text === "udp" || text === "sctp" ? text : undefined;
};

/**
 * An EgressFirewall's and a NetworkQoS's list: empty holds everything, entries are or-ed, and one without a port holds its
 * whole protocol. ICMP is in no entry (verdict.md 2.3, "ports").
 */
export const portsHold = (entries: readonly JsonObject[], { protocol, port }: Destination): boolean =>
  entries.length === 0 ||
  entries.some((entry) => {
    const wanted = numberAt(entry, "port") ?? 0;
    return protocolOf(entry) === protocol && (wanted === 0 || wanted === port);
  });

/** True where a rule speaks of ports of the protocol, and the packet's port was not given. */
export const needsPort = (entries: readonly JsonObject[], { protocol, port }: Destination): boolean =>
  port === undefined && entries.some((entry) => protocolOf(entry) === protocol);
