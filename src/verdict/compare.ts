// What would be different: two clusters, one before some changes and one after them, once the controllers are at rest.
import { objectAt, textAt } from "../meta/json.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { atOnce, type Steps } from "../meta/steps.ts";
import { type Room, roomsOf, roomText } from "./capacity.ts";
import { type Cluster, objectKey } from "./cluster/cluster.ts";
import { comparePods, type Decision, type PodDifference } from "./compare-pods.ts";
import { type MovedAddress, movedAddresses } from "./moved-addresses.ts";
import { allEgressIps, type EgressIpView } from "./trace/egress-ip.ts";

const NO_ROOM: Room = { ipv4: 0, ipv6: 0 };

export interface Moved extends MovedAddress {
  readonly egressIp: string;
}

export interface Difference {
  readonly moved: readonly Moved[];
  readonly services: readonly {
    readonly egressService: string;
    readonly from: string;
    readonly to: string;
  }[];
  /** Pods that leave by other addresses, or are let out no longer. */
  readonly pods: readonly PodDifference[];
  /** What is allowed or denied that was not. */
  readonly decided: readonly Decision[];
  /** Egress addresses on each node, and how many more it takes. */
  readonly nodes: readonly {
    readonly node: string;
    readonly before: number;
    readonly after: number;
    readonly left: { readonly before: Room; readonly after: Room };
  }[];
  /** New events that warn. */
  readonly events: readonly { readonly object: string; readonly reason: string; readonly message: string }[];
  /** Changes that were refused, and why. */
  readonly refused: readonly {
    readonly change: string;
    /** Of the Status: Invalid for what does not hold, Forbidden for what admission refuses. */
    readonly reason: string;
    readonly message: string;
  }[];
}

export const compare = (before: Cluster, after: Cluster, refused: Difference["refused"] = []): Difference =>
  atOnce(compareSteps(before, after, refused));

/** A large cluster takes a while. */
export function* compareSteps(
  before: Cluster,
  after: Cluster,
  refused: Difference["refused"],
): Steps<Difference> {
  const old = egressIps(before);
  yield;
  const now = egressIps(after);
  yield;
  const moved = movesBetween(old, now);
  yield;
  const ofPods = yield* comparePods(before, after);
  const nodes = loads([before, after], old, now);
  yield;
  return {
    moved,
    services: servicesThatMove(before, after),
    ...ofPods,
    nodes,
    events: newEvents(before, after),
    refused,
  };
}

/** Of all EgressIPs, by name. */
export const compareAddresses = (before: Cluster, after: Cluster): Moved[] =>
  movesBetween(egressIps(before), egressIps(after));

type EgressIps = ReadonlyMap<string, EgressIpView>;

const egressIps = (cluster: Cluster): EgressIps =>
  new Map(allEgressIps(cluster).map((view) => [view.name, view]));

function movesBetween(old: EgressIps, now: EgressIps): Moved[] {
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  return names.flatMap((egressIp) =>
    movedAddresses(old.get(egressIp), now.get(egressIp)).map((moved) => ({ egressIp, ...moved })),
  );
}

function servicesThatMove(before: Cluster, after: Cluster): Difference["services"] {
  const hosts = ({ snapshot }: Cluster) =>
    new Map(
      [...snapshot.list("egressservices.k8s.ovn.org")].map((one) => [
        objectKey(one),
        textAt(objectAt(one, "status"), "host"),
      ]),
    );
  const [old, now] = [hosts(before), hosts(after)];
  return [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((egressService) => {
    const [from = "", to = ""] = [old.get(egressService), now.get(egressService)];
    return from === to ? [] : [{ egressService, from, to }];
  });
}

/** Nodes that carry more or fewer addresses, or have room for more or fewer. */
function loads(
  [before, after]: readonly [Cluster, Cluster],
  old: EgressIps,
  now: EgressIps,
): Difference["nodes"] {
  const [had, has] = [countsOf(old), countsOf(now)];
  const [was, is] = [roomsOf(before), roomsOf(after)];
  const nodes = [...new Set([...before.nodes.keys(), ...after.nodes.keys()])].sort();
  return nodes.flatMap((node) => {
    const numbers = { before: had.get(node) ?? 0, after: has.get(node) ?? 0 };
    const left = { before: was.get(node) ?? NO_ROOM, after: is.get(node) ?? NO_ROOM };
    const isSame = numbers.before === numbers.after && roomText(left.before) === roomText(left.after);
    return isSame ? [] : [{ node, ...numbers, left }];
  });
}

function countsOf(views: EgressIps): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { items } of views.values())
    for (const { node } of items) counts.set(node, (counts.get(node) ?? 0) + 1);
  return counts;
}

function newEvents(before: Cluster, after: Cluster): Difference["events"] {
  const counts = new Map(
    [...before.snapshot.list("events")].map((event) => [event.metadata.name, event["count"]]),
  );
  return [...after.snapshot.list("events")]
    .filter((event) => event["type"] === "Warning" && counts.get(event.metadata.name) !== event["count"])
    .map((event) => ({
      object: subjectOf(event),
      reason: textAt(event, "reason"),
      message: textAt(event, "message"),
    }))
    .sort((a, b) => (`${a.object} ${a.reason}` < `${b.object} ${b.reason}` ? -1 : 1));
}

function subjectOf(event: KubeObject): string {
  const subject = objectAt(event, "involvedObject");
  const namespace = textAt(subject, "namespace");
  return `${textAt(subject, "kind")} ${namespace === "" ? "" : `${namespace}/`}${textAt(subject, "name")}`;
}
