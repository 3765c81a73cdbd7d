// Request body and equivalent command for creating nodes. Pure.

export interface NewNodes {
  readonly count: number;
  /** How many of them get the label k8s.ovn.org/egress-assignable. */
  readonly assignable: number;
  /** Comma-separated; "" for none. */
  readonly zones: string;
  /** Comma-separated, at most one per IP family; "" for the default network. */
  readonly network: string;
}

const listed = (text: string): string[] =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

/** Body of POST /egret/v1/nodes. */
export function wantedNodes({ count, assignable, zones, network }: NewNodes) {
  const [inZones, networks] = [listed(zones), listed(network)];
  return {
    ...{ count, assignable: Math.min(assignable, count) },
    ...(inZones.length > 0 ? { zones: inZones } : {}),
    ...(networks.length > 0 ? { networks } : {}),
  };
}

export function addCommand(nodes: NewNodes): string {
  const { count, assignable, zones = [], networks = [] } = wantedNodes(nodes);
  const words = ["egret", "nodes", "add", count];
  if (assignable > 0) words.push("--assignable", assignable);
  if (zones.length > 0) words.push("--zone", zones.join(","));
  if (networks.length > 0) words.push("--network", networks.join(","));
  return words.map(String).map(quoted).join(" ");
}

const quoted = (word: string): string =>
  /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
