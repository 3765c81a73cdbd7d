// EgressIPs in the data plane: which of them may serve a pod, and the packet path through one of their status items
// (src/ovn/rules.md R50 to R61). spec.egressIPs is not read.

import { objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { type IpAddress, parseIp } from "../../apimachinery/meta/ip.ts";
import type { LabelSelector } from "../../apimachinery/meta/label-selector.ts";
import { memoize } from "../../apimachinery/meta/memoize.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { MARK_ANNOTATION, markIn } from "../assignment/egress-ip-spec.ts";
import { ofFamily } from "../cluster/cidr-texts.ts";
import { type Cluster, selectorIn, selectorOrAll } from "../cluster/cluster.ts";
import {
  bridgeOf,
  managementAddress,
  type NodeView,
  nodeAddress,
  placeOf,
  routerAddress,
} from "../cluster/node-view.ts";
import type { Lookup } from "../cluster/object-index.ts";
import type { PodView } from "../cluster/pod-view.ts";
import {
  type Decider,
  decider,
  doubt,
  type Evidence,
  type Exit,
  end,
  type Outcome,
  type PacketPath,
  type Sender,
  warn,
} from "./packet-path.ts";

export interface Item {
  readonly address: IpAddress;
  readonly node: string;
}

export interface EgressIpView {
  readonly object: KubeObject;
  readonly name: string;
  readonly items: readonly Item[];
  readonly mark: number | undefined;
  /** Index keys: every selected namespace has at least one of these labels. */
  readonly namespaceLabels: readonly string[];
}

export const egressIpView = memoize((object: KubeObject): EgressIpView => {
  const items = objectsAt(objectAt(object, "status"), "items").flatMap((item) => {
    const address = parseIp(textAt(item, "egressIP"));
    return address ? [{ address, node: textAt(item, "node") }] : [];
  });
  // Duplicate items count once.
  const distinct = new Map(items.map((item) => [`${item.address.text} ${item.node}`, item]));
  return {
    object,
    name: object.metadata.name ?? "",
    items: [...distinct.values()],
    mark: markIn(object.metadata.annotations?.[MARK_ANNOTATION]),
    namespaceLabels: labelsWanted(selectorIn(specOf(object)["namespaceSelector"])),
  };
});

export const namespaceSelectorOf = ({ object }: EgressIpView): LabelSelector =>
  selectorIn(specOf(object)["namespaceSelector"]);

/** A namespace without any label never matches, not even `{}` (src/ovn/rules.md R51). */
export function selectsNamespace(cluster: Cluster, view: EgressIpView, namespace: string): boolean {
  const labels = cluster.namespaceLabels(namespace);
  return Object.keys(labels).length > 0 && namespaceSelectorOf(view).matches(labels);
}

export const selectsPod = ({ object }: EgressIpView, { labels }: PodView): boolean =>
  selectorOrAll(specOf(object)["podSelector"]).matches(labels);

/** Index key of selectors that do not require one of a known set of labels. */
const ANY_LABEL = "";

/** Labels of which every selected namespace has at least one; ANY_LABEL if the selector does not restrict them. */
function labelsWanted(selector: LabelSelector): readonly string[] {
  const { key, values } = selector.anchor ?? {};
  return values ? values.list().map((value) => `${key}=${value}`) : [ANY_LABEL];
}

const KIND = "egressips.k8s.ovn.org";

export const EGRESS_IPS_BY_LABEL: Lookup = {
  resource: KIND,
  keysOf: (object) => egressIpView(object).namespaceLabels,
};

const byName = (a: EgressIpView, b: EgressIpView): number => (a.name < b.name ? -1 : 1);

/** Sorted by name. */
export const allEgressIps = (cluster: Cluster): readonly EgressIpView[] =>
  viewsOf(cluster.snapshot.list(KIND));

const viewsOf = memoize((objects: readonly KubeObject[]) => objects.map(egressIpView).sort(byName));

/** The EgressIPs that select the namespace, by name. Uses the label index, since a cluster can have thousands. */
export function egressIpsFor(cluster: Cluster, namespace: string): readonly EgressIpView[] {
  const known = egressIpsByNamespace(cluster);
  const before = known.get(namespace);
  if (before !== undefined) return before;
  const byLabel = cluster.by(EGRESS_IPS_BY_LABEL);
  const own = Object.entries(cluster.namespaceLabels(namespace)).map(([key, value]) => `${key}=${value}`);
  const asked = [ANY_LABEL, ...own].flatMap((label) => byLabel.get(label) ?? []).map(egressIpView);
  const found = asked.filter((view) => selectsNamespace(cluster, view, namespace)).sort(byName);
  known.set(namespace, found);
  return found;
}

const egressIpsByNamespace = memoize((_cluster: Cluster) => new Map<string, readonly EgressIpView[]>());

/** The EgressIPs that match the pod, by name. */
export const matchingEgressIps = (cluster: Cluster, pod: PodView): EgressIpView[] =>
  egressIpsFor(cluster, pod.namespace).filter((view) => selectsPod(view, pod));

/** The EgressIPs that could serve the pod: one without items has no effect (src/ovn/rules.md R52). */
export const candidatesOf = (matching: readonly EgressIpView[]): EgressIpView[] =>
  matching.filter(({ items }) => items.length > 0);

/** The paths through EgressIPs; calls `plain` if none has an address of the packet's family. */
export function byEgressIp(
  way: PacketPath,
  cluster: Cluster,
  plain: (way: PacketPath) => PacketPath[],
): PacketPath[] {
  const { sender } = way;
  const candidates =
    sender.network.topology === "localnet" ? [] : candidatesOf(matchingEgressIps(cluster, sender.pod));
  if (candidates.length <= 1) {
    return candidates
      .flatMap((one) => byItems(way, cluster, one, plain))
      .concat(candidates.length === 0 ? plain(way) : []);
  }
  const names = candidates.map(({ name }) => name).join(", ");
  const why = `EgressIPs ${names} all match the pod: the one that was processed first serves it, the others stand by (event UndefinedRequest); this is undefined`;
  const unsure = doubt(way, why);
  return [
    ...candidates.flatMap((one) => byItems(unsure, cluster, one, plain)),
    ...disagreements(unsure, cluster, candidates),
  ];
}

/** If the zones chose different EgressIPs, the egress node has no SNAT rule for the pod and uses its own address. */
function disagreements(way: PacketPath, cluster: Cluster, candidates: readonly EgressIpView[]): PacketPath[] {
  const { sender, destination } = way;
  const { family } = destination.address;
  const nodes = new Set(
    candidates.flatMap(({ items }) =>
      items.filter(({ address }) => address.family === family).map(({ node }) => node),
    ),
  );
  nodes.delete(sender.pod.node);
  return [...nodes].sort().flatMap((name) => {
    const node = cluster.nodes.get(name);
    if (!node) return [];
    const text = `the zones of ${sender.pod.node} and ${name} disagree on who serves the pod: it leaves with the address of ${name}`;
    const exit = { ...bridgeExit(node, destination.address.family), source: nodeAddress(node, family)?.text };
    return [leave(way, exit, { by: [], text, evidence: "source" })];
  });
}

/** One path for each item of the packet's family: ECMP selects one for a connection (src/ovn/rules.md R55). */
function byItems(
  way: PacketPath,
  cluster: Cluster,
  view: EgressIpView,
  plain: (way: PacketPath) => PacketPath[],
): PacketPath[] {
  const { family } = way.destination.address;
  const items = view.items.filter(({ address }) => address.family === family);
  const usable = items.flatMap((item) => usableItem(way.sender, cluster, view, item) ?? []);
  if (usable.length === 0) return plain(way);
  const why = `EgressIP ${view.name} has ${usable.length} addresses of the family: each connection takes any of them`;
  const unsure = usable.length > 1 ? doubt(way, why) : way;
  const { network } = way.sender;
  if (network.transport === "overlay") return usable.map((use) => viaItem(unsure, cluster, view, use));
  // Documented as unsupported, but not rejected by the code (src/ovn/rules.md R61, and row 37 of R141).
  const warned = warn(unsure, `EgressIPs are not supported on networks with transport ${network.transport}`);
  return usable.map((use) => {
    const done = viaItem(warned, cluster, view, use);
    return done.outcome ? { ...done, outcome: { ...done.outcome, evidence: "inferred" as const } } : done;
  });
}

interface Use extends Item {
  readonly at: NodeView;
  readonly place: { readonly role: "primary" | "secondary"; readonly network: string } | undefined;
}

/** Undefined if the item yields no route; the item is ignored then. */
function usableItem({ network }: Sender, cluster: Cluster, view: EgressIpView, item: Item): Use | undefined {
  const at = cluster.nodes.get(item.node);
  if (!at) return undefined;
  const place = placeOf(at, item.address);
  if (network.isDefault) return { ...item, at, place };
  // The bridge translates by the mark, and handles no other interface (src/ovn/rules.md R58).
  return view.mark === undefined || place?.role === "secondary" ? undefined : { ...item, at, place };
}

function viaItem(
  way: PacketPath,
  cluster: Cluster,
  view: EgressIpView,
  { address, at, place }: Use,
): PacketPath {
  const { sender } = way;
  const isOwn = at.name === sender.pod.node;
  const by = [decider("EgressIP", view.object)];
  const via = isOwn
    ? place?.role === "secondary"
      ? managementAddress(at, address.family)
      : routerAddress(at, "join", sender.network.joinSubnets, address.family)
    : routerAddress(at, "transit", cluster.transitSubnets, address.family);
  const where = isOwn ? "its own node" : `node ${at.name}`;
  const isUnknown = place === undefined && at.host === undefined && at.primary.length === 0;
  if (place?.role === "primary" || isUnknown) {
    const text = `EgressIP ${view.name} has ${address.text} on ${where}: the packet leaves there with this address`;
    const evidence = isUnknown ? "inferred" : "test";
    return leave(
      way,
      { ...bridgeExit(at, address.family), source: address.text, via },
      { by, text, evidence },
    );
  }
  if (place) {
    const text = `EgressIP ${view.name} has ${address.text} on ${where}, on the interface in ${place.network}: the packet leaves there with this address`;
    const exit = {
      source: address.text,
      node: at.name,
      interface: `interface in ${place.network}`,
      nextHop: undefined,
      via,
    };
    return leave(way, exit, { by, text, evidence: "test" });
  }
  const text = `EgressIP ${view.name} has ${address.text} on ${where}, where no interface has a network for it: marked packets are dropped`;
  return end(
    way,
    { stage: "route", result: "denied", by, text, evidence: "source" },
    { verdict: "dropped", node: at.name },
  );
}

/** Exit by the node's bridge to the next hop of its l3-gateway-config. */
export const bridgeExit = (node: NodeView, family: 4 | 6): Exit => ({
  source: undefined,
  node: node.name,
  interface: bridgeOf(node),
  nextHop: ofFamily(node.gateway?.nextHops ?? [], family)?.text,
  via: undefined,
});

/** Ends the path as allowed with the given exit. */
export function leave(
  way: PacketPath,
  exit: Exit,
  said: { readonly by: readonly Decider[]; readonly text: string; readonly evidence: Evidence },
): PacketPath {
  const outcome: Omit<Outcome, "text" | "evidence"> = { verdict: "allowed", ...exit };
  return end(way, { stage: "route", result: "routed", ...said }, outcome);
}

/** Warns about matching EgressIPs without a mark, which a primary UDN needs (src/ovn/rules.md R58). */
export function mindNetwork(way: PacketPath, matching: readonly EgressIpView[]): PacketPath {
  const { network } = way.sender;
  if (network.isDefault) return way;
  return candidatesOf(matching).reduce(
    (next, { name, mark }) =>
      mark === undefined
        ? warn(next, `egressip ${name} object must contain a mark for user defined networks`)
        : next,
    way,
  );
}
