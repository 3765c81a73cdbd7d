// What would be different: two clusters, one before some changes and one after them, once the controllers are at rest.
import { objectAt, textAt } from "../meta/json.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { atOnce, type Steps } from "../meta/steps.ts";
import { type Cluster, objectKey } from "./cluster/cluster.ts";
import { isLive, type PodView } from "./cluster/pod-view.ts";
import { allEgressIps, type EgressIpView, namespaceSelectorOf, selectsPod } from "./trace/egress-ip.ts";
import { trace } from "./trace/trace.ts";

/** Somebody outside, in documents: RFC 5737, RFC 3849. */
const OUTSIDE = { 4: "192.0.2.1", 6: "2001:db8::1" } as const;

export interface Moved {
  readonly egressIp: string;
  readonly address: string;
  /** undefined: it had no node. */
  readonly from?: string;
  /** undefined: it has none any more. */
  readonly to?: string;
}

export interface Difference {
  readonly moved: readonly Moved[];
  readonly services: readonly {
    readonly egressService: string;
    readonly from: string;
    readonly to: string;
  }[];
  /** Pods that leave by other addresses, or are let out no longer. */
  readonly pods: readonly { readonly pod: string; readonly from: string; readonly to: string }[];
  /** Egress addresses on each node. */
  readonly nodes: readonly { readonly node: string; readonly before: number; readonly after: number }[];
  /** New events that warn. */
  readonly events: readonly { readonly object: string; readonly reason: string; readonly message: string }[];
  /** Changes that were refused, and why. */
  readonly refused: readonly { readonly change: string; readonly message: string }[];
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
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  const moved = names.flatMap((name) => movesOf(name, old.get(name), now.get(name)));
  const changed = new Set(moved.map(({ egressIp }) => egressIp));
  const views = [old, now].flatMap((all) => [...all.values()]).filter(({ name }) => changed.has(name));
  yield;
  const pods = yield* podsThatChange(before, after, views);
  return {
    moved,
    services: servicesThatMove(before, after),
    pods,
    nodes: loads(old, now, new Set([...before.nodes.keys(), ...after.nodes.keys()])),
    events: newEvents(before, after),
    refused,
  };
}

const egressIps = (cluster: Cluster): Map<string, EgressIpView> =>
  new Map(allEgressIps(cluster).map((view) => [view.name, view]));

function movesOf(egressIp: string, old: EgressIpView | undefined, now: EgressIpView | undefined): Moved[] {
  if (old === now) return []; // most are the same object
  const [from, to] = [old, now].map(
    (view) => new Map(view?.items.map(({ address, node }) => [address.text, node])),
  );
  const addresses = [...new Set([...(from?.keys() ?? []), ...(to?.keys() ?? [])])].sort();
  return addresses.flatMap((address) => {
    const [before, after] = [from?.get(address), to?.get(address)];
    if (before === after) return [];
    return [
      {
        egressIp,
        address,
        ...(before === undefined ? {} : { from: before }),
        ...(after === undefined ? {} : { to: after }),
      },
    ];
  });
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

/** Only pods that the EgressIPs are for, or that are endpoints, can leave otherwise than before. */
function* podsThatChange(
  before: Cluster,
  after: Cluster,
  views: readonly EgressIpView[],
): Steps<Difference["pods"]> {
  const concerned = new Map<string, PodView>();
  const namespaces = new Map<string, PodView[]>();
  for (const view of views) {
    const selected = [before, after].flatMap((cluster) => cluster.namespaces(namespaceSelectorOf(view)));
    for (const name of new Set(selected)) {
      const pods = namespaces.get(name) ?? before.pods(name).filter(isLive);
      namespaces.set(name, pods);
      for (const pod of pods) if (selectsPod(view, pod)) concerned.set(objectKey(pod.object), pod);
    }
    yield;
  }
  const changed: Difference["pods"][number][] = [];
  for (const [pod, { namespace, name }] of [...concerned].sort(byKey)) {
    const [from = "", to = ""] = [before, after].map((cluster) => leavesBy(cluster, namespace, name));
    if (from !== to) changed.push({ pod, from, to });
    yield;
  }
  return changed;
}

/** The addresses by which a pod leaves, of each family that it has. */
function leavesBy(cluster: Cluster, namespace: string, name: string): string {
  const pod = cluster.pod(namespace, name);
  const network = pod && cluster.networks.ofNamespace(namespace);
  if (!pod || !network) return "gone";
  const families = ([4, 6] as const).filter((family) => cluster.addressOf(pod, network, family));
  const sources = families.flatMap((family) =>
    trace(cluster, {
      namespace,
      pod: name,
      to: OUTSIDE[family],
      protocol: "tcp",
      packet: "allowed anyway",
    }).outcomes.map(({ verdict, source }) => (verdict === "allowed" ? (source ?? "unknown") : verdict)),
  );
  return [...new Set(sources)].join(" or ");
}

function loads(
  old: ReadonlyMap<string, EgressIpView>,
  now: ReadonlyMap<string, EgressIpView>,
  nodes: ReadonlySet<string>,
): Difference["nodes"] {
  const count = (views: ReadonlyMap<string, EgressIpView>) => {
    const counts = new Map<string, number>();
    for (const { items } of views.values())
      for (const { node } of items) counts.set(node, (counts.get(node) ?? 0) + 1);
    return counts;
  };
  const [before, after] = [count(old), count(now)];
  return [...nodes].sort().flatMap((node) => {
    const numbers = { before: before.get(node) ?? 0, after: after.get(node) ?? 0 };
    return numbers.before === numbers.after ? [] : [{ node, ...numbers }];
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

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
