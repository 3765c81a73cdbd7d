// What is asked of the server for more nodes, and the command that does the same. Pure.

export interface NewNodes {
  readonly count: number;
  /** How many of them may hold egress addresses. */
  readonly assignable: number;
  /** With commas between them; "" for none. */
  readonly zones: string;
  /** One of each family at most, with a comma; "" for the usual one. */
  readonly network: string;
}

const listed = (text: string): string[] =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

/** The body of the request. */
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
