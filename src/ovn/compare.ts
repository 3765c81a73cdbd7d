// Differences between two clusters: before some changes, and after them when the controllers are idle.
import { objectAt, textAt } from "../apimachinery/json/json.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { type Coroutine, runSync } from "../apimachinery/scheduling/coroutine.ts";
import { readAssignment } from "./assignment/assignment.ts";
import { type Room, roomsOf, roomText } from "./capacity.ts";
import { type Cluster, objectKey } from "./cluster/cluster.ts";
import { comparePods, type Decision, type PodDifference } from "./compare-pods.ts";
import { type MovedAddress, movedAddresses } from "./moved-addresses.ts";
import { allEgressIps, type EgressIpView, egressIpView } from "./trace/egress-ip-source.ts";
import { readForTraces } from "./trace/trace.ts";

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
  /** Pods whose egress source IP or verdict changes. */
  readonly pods: readonly PodDifference[];
  /** Ranges whose verdict changes. */
  readonly decided: readonly Decision[];
  /** Number of egress addresses on each node, and its free capacity. */
  readonly nodes: readonly {
    readonly node: string;
    readonly before: number;
    readonly after: number;
    readonly left: { readonly before: Room; readonly after: Room };
  }[];
  /** New Warning events. */
  readonly events: readonly { readonly object: string; readonly reason: string; readonly message: string }[];
  /** Changes that the server rejected. */
  readonly refused: readonly {
    readonly change: string;
    /** Status reason: Invalid if validation fails, Forbidden if admission rejects the change. */
    readonly reason: string;
    readonly message: string;
  }[];
}

export const compare = (before: Cluster, after: Cluster, refused: Difference["refused"] = []): Difference =>
  runSync(compareSteps(before, after, refused));

/** In steps that yield, for large clusters. `known`: the load of `before`, if the caller has computed it. */
export function* compareSteps(
  before: Cluster,
  after: Cluster,
  refused: Difference["refused"],
  known?: Load,
): Coroutine<Difference> {
  yield* readForTraces(before);
  yield* readForTraces(after);
  const moved = compareAddresses(before, after);
  yield;
  const ofPods = yield* comparePods(before, after);
  yield;
  const load = known ?? (yield* loadOf(before));
  yield;
  const loadThen = yield* loadOf(after);
  yield;
  return {
    moved,
    services: servicesThatMove(before, after),
    ...ofPods,
    nodes: differentLoads(load, loadThen),
    events: newEvents(before, after),
    refused,
  };
}

/** Moved addresses of all EgressIPs, sorted by name. */
export function compareAddresses(before: Cluster, after: Cluster): Moved[] {
  const [old, now] = [egressIps(before), egressIps(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  return names.flatMap((egressIp) =>
    movedAddresses(old.get(egressIp), now.get(egressIp)).map((moved) => ({ egressIp, ...moved })),
  );
}

const egressIps = (cluster: Cluster): ReadonlyMap<string, EgressIpView> =>
  new Map(allEgressIps(cluster).map((view) => [view.name, view]));

export function servicesThatMove(before: Cluster, after: Cluster): Difference["services"] {
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

/** By node name: the number of egress addresses, and the free capacity. */
export interface Load {
  readonly carried: ReadonlyMap<string, number>;
  readonly rooms: ReadonlyMap<string, Room>;
  readonly nodes: readonly string[];
}

export function* loadOf(cluster: Cluster): Coroutine<Load> {
  yield* readAssignment(cluster);
  const carried = new Map<string, number>();
  for (const object of cluster.snapshot.list("egressips.k8s.ovn.org")) {
    for (const { node } of egressIpView(object).items) carried.set(node, (carried.get(node) ?? 0) + 1);
    yield;
  }
  return { carried, rooms: roomsOf(cluster), nodes: [...cluster.nodes.keys()] };
}

/** Nodes whose number of addresses or free capacity changes. */
function differentLoads(before: Load, after: Load): Difference["nodes"] {
  const nodes = [...new Set([...before.nodes, ...after.nodes])].sort();
  return nodes.flatMap((node) => {
    const numbers = { before: before.carried.get(node) ?? 0, after: after.carried.get(node) ?? 0 };
    const left = { before: before.rooms.get(node) ?? NO_ROOM, after: after.rooms.get(node) ?? NO_ROOM };
    const isSame = numbers.before === numbers.after && roomText(left.before) === roomText(left.after);
    return isSame ? [] : [{ node, ...numbers, left }];
  });
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
