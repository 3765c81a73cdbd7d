// Why a packet does not use an EgressIP that selects its namespace: every reason that is true, the decisive one first. Rows
// are those of src/ovn/rules.md R141.
import { type Cluster, objectKey } from "../cluster/cluster.ts";
import { placeOf, routerAddress } from "../cluster/node-view.ts";
import { isLive, type PodView } from "../cluster/pod-view.ts";
import type { Reason } from "../reason.ts";
import type { Place } from "./destination-kind.ts";
import {
  candidatesOf,
  type EgressIpView,
  egressIpsFor,
  matchingEgressIps,
  selectsNamespace,
  selectsPod,
} from "./egress-ip-source.ts";
import { egressServicesOf } from "./egress-service.ts";
import { externalRouteOf } from "./external-routes.ts";
import { type Evidence, isLikely, type PacketPath, type Sender } from "./packet-path.ts";

/** The traced pod and the paths of its packet. */
export interface Case {
  readonly pod: PodView;
  /** Undefined if the pod sends no packet of the family. */
  readonly sender: Sender | undefined;
  readonly place: Place | undefined;
  readonly ways: readonly PacketPath[];
  readonly family: 4 | 6;
}

type Row = readonly [
  row: number,
  evidence: Evidence,
  find: (asked: Asked) => string | undefined | false,
  remedy?: string,
];

interface Asked extends Case {
  readonly cluster: Cluster;
  readonly view: EgressIpView;
  readonly rivals: readonly EgressIpView[];
}

const itemsOf = ({ view, family }: Asked) => view.items.filter(({ address }) => address.family === family);

const ROWS: readonly Row[] = [
  [
    38,
    "docs",
    ({ ways }) =>
      ways.length > 0 &&
      ways.every(({ outcome }) => outcome?.verdict === "denied") &&
      "the packet is denied before it is routed",
    "change the rule that denies it",
  ],
  [22, "test", ({ pod }) => !isLive(pod) && stateOf(pod)],
  [
    20,
    "test",
    ({ cluster, view, pod }) => !selectsNamespace(cluster, view, pod.namespace) && labelsMiss(cluster, pod),
    "give the namespace the labels",
  ],
  [
    21,
    "test",
    ({ view, pod }) =>
      !selectsPod(view, pod) && `the labels of pod ${pod.namespace}/${pod.name} do not match`,
    "give the pod the labels",
  ],
  [
    23,
    "source",
    ({ cluster, pod, sender }) =>
      isLive(pod) &&
      !sender &&
      cluster.networks.ofNamespace(pod.namespace) !== undefined &&
      "the pod has no address yet",
    "wait",
  ],
  [
    26,
    "test",
    ({ view }) =>
      view.items.length === 0 && "it has no address on any node: pods leave with the address of their node",
    "see why its addresses have no node: egret explain egressip",
  ],
  [24, "test", rivalry, "make the selectors disjoint"],
  [
    25,
    "test",
    (asked) =>
      asked.view.items.length > 0 && itemsOf(asked).length === 0 && `it has no address of IPv${asked.family}`,
    "add an address of the family",
  ],
  [
    27,
    "test",
    ({ place }) =>
      place !== undefined && place.type !== "outside" && `the destination is exempt (${EXEMPT[place.type]})`,
  ],
  [
    28,
    "test",
    ({ ways }) =>
      ways.length > 0 &&
      ways.every(({ packet }) => packet === "reply") &&
      "the packet is a reply of a connection that came in",
  ],
  [30, "test", external, "remove one of the two"],
  [29, "test", service, "remove one of the two"],
  [
    33,
    "test",
    (asked) =>
      isOwnNetwork(asked) &&
      itemsOf(asked).some((item) => placed(asked, item)?.role === "secondary") &&
      `egress IP assigned to a host secondary interface for a user defined network (network name ${asked.sender?.network.name}) is unsupported`,
    "use an address of the nodes' primary network",
  ],
  [
    32,
    "test",
    (asked) =>
      isOwnNetwork(asked) &&
      asked.view.mark === undefined &&
      `egressip ${asked.view.name} object must contain a mark for user defined networks`,
    "change the object, so that it is written again",
  ],
  [
    31,
    "source",
    ({ cluster, pod }) =>
      cluster.networks.ofNamespace(pod.namespace) === undefined &&
      "the primary network that the namespace asks for is not there",
    "repair the user defined network",
  ],
  [34, "source", noHop, "repair the node's annotations"],
  [
    35,
    "source",
    (asked) =>
      itemsOf(asked).some((item) => isUnplaced(asked, item)) &&
      "no interface of the egress node has a network for the address: packets are dropped",
    "repair the interface",
  ],
  [
    36,
    "source",
    (asked) =>
      asked.rivals.length > 0 &&
      itemsOf(asked).some(({ node }) => node !== asked.pod.node) &&
      "two zones may disagree on the object that serves the pod",
    "make the selectors disjoint",
  ],
  [39, "source", unread, "repair the node"],
  [37, "docs", ({ sender }) => sender !== undefined && unsupported(sender)],
];

const EXEMPT: Readonly<Record<Exclude<Place["type"], "outside">, string>> = {
  pods: "a pod of the same network",
  join: "a router between the nodes",
  "own-node": "the pod's own node",
  node: "the address of a node",
  "other-network": "a pod of another network",
  "host-internal": "an address internal to hosts",
};

/** All reasons that are true for one EgressIP. */
export function reasonsAgainst(cluster: Cluster, view: EgressIpView, about: Case): Reason[] {
  const candidates = candidatesOf(matchingEgressIps(cluster, about.pod));
  const asked = { ...about, cluster, view, rivals: candidates.filter(({ name }) => name !== view.name) };
  return ROWS.flatMap(([row, evidence, find, remedy]) => {
    const text = find(asked);
    if (typeof text !== "string") return [];
    return [{ row, text, ...(remedy === undefined ? {} : { remedy }), likely: isLikely(evidence) }];
  });
}

/** The EgressIPs that select the pod's namespace and are on no possible path of the packet. */
export function unusedEgressIps(
  cluster: Cluster,
  about: Case,
): { readonly name: string; readonly reasons: readonly Reason[] }[] {
  const used = new Set(
    about.ways
      .flatMap(({ steps }) => steps.flatMap(({ by }) => by))
      .flatMap(({ kind, name }) => (kind === "EgressIP" ? name : [])),
  );
  return egressIpsFor(cluster, about.pod.namespace)
    .filter(({ name }) => !used.has(name))
    .map((view) => ({ name: view.name, reasons: reasonsAgainst(cluster, view, about) }));
}

function stateOf({ hostNetwork, node, finished }: PodView): string {
  if (hostNetwork) return "the pod is on the network of its host";
  return finished ? "the pod has finished" : node === "" ? "the pod is not scheduled" : "the pod is not live";
}

const labelsMiss = (cluster: Cluster, { namespace }: PodView): string =>
  Object.keys(cluster.namespaceLabels(namespace)).length === 0
    ? `namespace ${namespace} has no labels`
    : `the labels of namespace ${namespace} do not match`;

function rivalry({ rivals, view, pod, cluster }: Asked): string | undefined {
  if (rivals.length === 0 || view.items.length === 0) return undefined;
  if (!selectsNamespace(cluster, view, pod.namespace) || !selectsPod(view, pod)) return undefined;
  return `EgressIP object ${view.name} will not be configured for pod ${pod.namespace}_${pod.name} if another egressIP object (${rivals.map(({ name }) => name).join(", ")}) is serving it, this is undefined`;
}

function external({ cluster, pod, sender }: Asked): string | undefined {
  if (!sender?.network.isDefault) return undefined;
  const { gateways } = externalRouteOf(cluster, pod.namespace);
  if (!gateways) return undefined;
  const where = cluster.modeOf(sender.node) === "local" ? "" : " on the pod's own node";
  return `AdminPolicyBasedExternalRoute ${objectKey(gateways.policy)} sends the namespace's packets to its gateways${where}`;
}

function service({ cluster, pod, sender }: Asked): string | undefined {
  const served = sender?.network.isDefault
    ? egressServicesOf(cluster, pod, cluster.addressesOf(pod, sender.network))
    : [];
  const [first] = served;
  return first && `the pod is an endpoint of EgressService ${objectKey(first.object)}`;
}

const isOwnNetwork = ({ sender }: Asked): boolean => sender !== undefined && !sender.network.isDefault;

function placed(
  { cluster }: Asked,
  { address, node }: EgressIpView["items"][number],
): ReturnType<typeof placeOf> {
  const at = cluster.nodes.get(node);
  return at && placeOf(at, address);
}

function isUnplaced(asked: Asked, item: EgressIpView["items"][number]): boolean {
  const at = asked.cluster.nodes.get(item.node);
  return (
    at !== undefined && (at.host !== undefined || at.primary.length > 0) && placed(asked, item) === undefined
  );
}

function noHop(asked: Asked): string | undefined {
  const { cluster, pod, family } = asked;
  const lost = itemsOf(asked).find(({ node }) => {
    const at = cluster.nodes.get(node);
    return (
      !at || (node !== pod.node && routerAddress(at, "transit", cluster.transitSubnets, family) === undefined)
    );
  });
  return lost && `the next hop to node ${lost.node} cannot be computed`;
}

function unread({ cluster, pod, view }: Asked): string | undefined {
  if (isLive(pod) && !cluster.nodes.has(pod.node)) return `node ${pod.node} of the pod is not there`;
  const found = view.items.find(({ node }) => {
    const at = cluster.nodes.get(node);
    return at !== undefined && at.primary.length === 0 && at.cloud === undefined;
  });
  return found && `annotations of node ${found.node} are absent or cannot be read: it is tried again`;
}

function unsupported({ network }: Sender): string | undefined {
  if (network.topology === "localnet") return "localnet networks have no EgressIPs";
  if (network.transport === "evpn") return "EgressIPs are not supported on EVPN networks";
  return network.transport === "no-overlay"
    ? "EgressIPs are not supported on networks without an overlay"
    : undefined;
}
