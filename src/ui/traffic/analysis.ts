// Analysis of the request log: requests per client, verb and resource, with warnings about problematic patterns.

import { groupedBy } from "../../apimachinery/meta/lists.ts";
import type { RequestLogEntry } from "../../features/request-log/request-log.ts";

/** Requests of one client with one verb to one resource. */
export interface TrafficRow {
  readonly key: string;
  readonly client: string;
  readonly verb: string;
  /** RESOURCE or RESOURCE.GROUP, with /SUBRESOURCE; the path for non-resource requests. */
  readonly what: string;
  readonly count: number;
  readonly refused: number;
  readonly lastTime: string;
  readonly warnings: readonly Warning[];
}

export type Warning = "hot loop" | "unpaged lists" | "relists" | "no-op writes" | "fight" | "refused";

/** Meaning of each warning, with advice. */
export const WARNINGS: Readonly<Record<Warning, string>> = {
  "hot loop":
    "It asks the same more than ten times a second: it may try again without waiting longer each time.",
  "unpaged lists": "It lists all at once, by a quorum read: limit=500, or resourceVersion=0, is kinder.",
  relists: "It lists the same again and again within a minute: its watch may end, or it may never watch.",
  "no-op writes": "It writes what is there already: compare before a write.",
  fight: "Another client changes what it has written, and it writes it again.",
  refused: "Most of what it asks is refused.",
};

const LOOP_PER_SECOND = 10;
const LOOP_SECONDS_MIN = 2;
const RELISTS_MAX = 3;
const MINUTE_MS = 60_000;
/** Alternating writes of several clients to one object, from which on they count as a fight. */
const TURNS_MIN = 4;

const WRITES: ReadonlySet<string> = new Set(["update", "patch"]);

/** First word of the user agent: "kubectl", "web-controller". All browsers have the same one. */
export function clientOf({ userAgent }: RequestLogEntry): string {
  const name = userAgent.split(/[/ ]/)[0];
  return name === "Mozilla" ? "a browser" : name || "unnamed";
}

export function whatOf({ resource, group, subresource, path }: RequestLogEntry): string {
  if (resource === "") return path.split("?")[0] ?? path;
  return `${resource}${group === "" ? "" : `.${group}`}${subresource === "" ? "" : `/${subresource}`}`;
}

const objectOf = (entry: RequestLogEntry): string => `${whatOf(entry)} ${entry.namespace}/${entry.name}`;

/** Rows with the most warnings first, then by number of requests. A watch is counted at its start. */
export function trafficRows(entries: readonly RequestLogEntry[]): TrafficRow[] {
  const counted = entries.filter(({ stage }) => stage !== "ended");
  const fighters = fightersOf(counted);
  const idle = noOpWrites(counted);
  const groups = groupedBy(counted, (entry) => [clientOf(entry), entry.verb, whatOf(entry)].join(" "));
  return [...groups]
    .map(([key, group]) => rowOf(key, group, { fighters, idle }))
    .sort((a, b) => b.warnings.length - a.warnings.length || b.count - a.count || (a.key < b.key ? -1 : 1));
}

interface Suspects {
  /** Sequence numbers of writes that changed nothing. */
  readonly idle: ReadonlySet<number>;
  /** "CLIENT OBJECT" of clients with alternating writes. */
  readonly fighters: ReadonlySet<string>;
}

function rowOf(key: string, group: readonly RequestLogEntry[], { idle, fighters }: Suspects): TrafficRow {
  const [first] = group;
  const last = group.at(-1);
  const refused = group.filter(({ status }) => status >= 400).length;
  const found: [Warning, boolean][] = [
    ["hot loop", isLoop(group)],
    ["unpaged lists", group.filter(isUnpaged).length >= RELISTS_MAX],
    ["relists", isRelisting(group)],
    ["no-op writes", group.filter(({ sequence }) => idle.has(sequence)).length >= RELISTS_MAX],
    ["fight", group.some((entry) => fighters.has(`${clientOf(entry)} ${objectOf(entry)}`))],
    ["refused", group.length >= RELISTS_MAX && refused > group.length / 2],
  ];
  return {
    key,
    client: first ? clientOf(first) : "",
    verb: first?.verb ?? "",
    what: first ? whatOf(first) : "",
    count: group.length,
    refused,
    lastTime: last?.time ?? "",
    warnings: found.flatMap(([warning, isSo]) => (isSo ? [warning] : [])),
  };
}

const msOf = ({ time }: RequestLogEntry): number => Date.parse(time);

/** More than LOOP_PER_SECOND requests for the same object or list, over at least LOOP_SECONDS_MIN seconds. */
function isLoop(group: readonly RequestLogEntry[]): boolean {
  const byObject = groupedBy(group, objectOf);
  return [...byObject.values()].some((same) => {
    const [first, last] = [same[0], same.at(-1)];
    const seconds = first && last ? (msOf(last) - msOf(first)) / 1000 : 0;
    return seconds >= LOOP_SECONDS_MIN && same.length / seconds > LOOP_PER_SECOND;
  });
}

const queryOf = ({ path }: RequestLogEntry): URLSearchParams => new URLSearchParams(path.split("?")[1] ?? "");

function isUnpaged(entry: RequestLogEntry): boolean {
  const query = queryOf(entry);
  return entry.verb === "list" && !query.has("limit") && !query.has("resourceVersion");
}

/** Further pages (continue) belong to the first request of a list and are not counted. */
function isRelisting(group: readonly RequestLogEntry[]): boolean {
  const lists = group.filter((entry) => entry.verb === "list" && !queryOf(entry).has("continue"));
  return lists.some((list, index) => {
    const later = lists[index + RELISTS_MAX];
    return later !== undefined && objectOf(later) === objectOf(list) && msOf(later) - msOf(list) < MINUTE_MS;
  });
}

/** Writes whose answer has the resourceVersion that the object had before. */
function noOpWrites(entries: readonly RequestLogEntry[]): Set<number> {
  const versions = new Map<string, string>();
  const idle = new Set<number>();
  for (const entry of entries) {
    const { sequence, verb, resourceVersion, name, status } = entry;
    if (resourceVersion === undefined || name === "" || status >= 400) continue;
    const key = `${entry.resource}.${entry.group} ${entry.namespace}/${name}`;
    if (WRITES.has(verb) && versions.get(key) === resourceVersion) idle.add(sequence);
    versions.set(key, resourceVersion);
  }
  return idle;
}

function fightersOf(entries: readonly RequestLogEntry[]): Set<string> {
  const turns = new Map<string, { last: string; version: string; turns: number; clients: Set<string> }>();
  for (const entry of entries) {
    const { verb, status, resourceVersion: version = "" } = entry;
    if (!WRITES.has(verb) || status >= 400) continue;
    const [object, client] = [objectOf(entry), clientOf(entry)];
    const seen = turns.get(object) ?? { last: client, version, turns: 0, clients: new Set() };
    if (seen.last !== client && seen.version !== version) seen.turns++;
    turns.set(object, Object.assign(seen, { last: client, version, clients: seen.clients.add(client) }));
  }
  return new Set(
    [...turns].flatMap(([object, { turns: count, clients }]) =>
      count >= TURNS_MIN ? [...clients].map((client) => `${client} ${object}`) : [],
    ),
  );
}
