// Why each address of an EgressIP is assigned or unassigned, with the reasons of each node (src/ovn/rules.md R140).

import { type IpAddress, parseIp } from "../../apimachinery/meta/ip.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { NodeJudgement, Refusal } from "../assignment/allocator.ts";
import { type Assignment, assignmentOf } from "../assignment/assignment.ts";
import { type EgressIp, invalidIn, wantedBy } from "../assignment/egress-ip-spec.ts";
import { EGRESS_ASSIGNABLE_LABEL as LABEL } from "../assignment/node-state.ts";
import type { Plan } from "../assignment/plan.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { isLive } from "../cluster/pod-view.ts";
import { type Reason, reason } from "../reason.ts";
import {
  candidatesOf,
  egressIpView,
  matchingEgressIps,
  namespaceSelectorOf,
  selectsPod,
} from "../trace/egress-ip-source.ts";
import { type Explanation, explained, type Section } from "./explanation.ts";
import { curesOf, isCurable, reasonsAgainst } from "./why-no-node.ts";

const NAMES_SHOWN = 5;

export interface NodeAnswer {
  readonly node: string;
  readonly assigned: boolean;
  /** Number of addresses of all EgressIPs on the node. */
  readonly addresses: number;
  /** Why the node cannot host the address, the decisive reason first; empty if it hosts or could host it. */
  readonly reasons: readonly Reason[];
}

export interface AddressAnswer {
  /** The text of the spec. */
  readonly address: string;
  readonly node?: string;
  readonly summary: string;
  /** Why the address is unassigned; empty if it is assigned. */
  readonly reasons: readonly Reason[];
  readonly nodes: readonly NodeAnswer[];
}

export interface EgressIpExplanation extends Explanation {
  readonly kind: "EgressIP";
  readonly addresses: readonly AddressAnswer[];
  readonly usedBy: readonly { readonly namespace: string; readonly pods: readonly string[] }[];
  /** Pods that other EgressIPs also match. */
  readonly contested: readonly { readonly pod: string; readonly egressIps: readonly string[] }[];
}

/** Undefined if there is no EgressIP of that name. */
export function explainEgressIp(cluster: Cluster, name: string): EgressIpExplanation | undefined {
  const assignment = assignmentOf(cluster);
  const egressIp = assignment.egressIps.get(name);
  const object = cluster.snapshot.get("egressips.k8s.ovn.org", "", name);
  if (!egressIp || !object) return undefined;
  const explanations = explainAddresses(cluster, assignment, egressIp);
  const addresses = explanations.map(({ answer }) => answer);
  const { usedBy, contested } = usersOf(cluster, object);
  return {
    ...explained("EgressIP", object, summaryOf(egressIp, addresses), {
      reasons: [...addresses.flatMap(({ reasons }) => reasons), ...inSum(addresses)],
      sections: [...addresses.map(nodesSection), usersSection(usedBy), contestedSection(contested)],
      advice: explanations.flatMap(({ cures }) => cures),
    }),
    kind: "EgressIP",
    addresses,
    usedBy,
    contested,
  };
}

const nodesSection = ({ address, nodes }: AddressAnswer): Section => ({
  title: `${address} on each node`,
  columns: ["NODE", "ADDRESSES", "ANSWER"],
  rows: nodes.map(({ node, addresses, assigned, reasons }) => {
    const why = reasons.map(({ text }) => text).join("; ");
    return [node, String(addresses), assigned ? "assigned" : why || "could have it"];
  }),
});

const usersSection = (usedBy: EgressIpExplanation["usedBy"]): Section => ({
  title: "Used by",
  columns: ["NAMESPACE", "PODS", "NAMES"],
  rows: usedBy.map(({ namespace, pods }) => [
    namespace,
    String(pods.length),
    pods.length > NAMES_SHOWN ? `${pods.slice(0, NAMES_SHOWN).join(", ")}, …` : pods.join(", "),
  ]),
});

const contestedSection = (contested: EgressIpExplanation["contested"]): Section => ({
  title: "Pods that several EgressIPs match: the one that was processed first serves them",
  columns: ["POD", "EGRESSIPS"],
  rows: contested.map(({ pod, egressIps }) => [pod, egressIps.join(", ")]),
});

interface Explained {
  readonly answer: AddressAnswer;
  /** Remedies that would make nodes eligible; empty if the address is assigned or a node would not help. */
  readonly cures: readonly string[];
}

/** Rows of R140 for which another eligible node would help. */
const LACKS_NODE: ReadonlySet<number> = new Set([1, 7, 8, 9, 10, 18]);

function explainAddresses(cluster: Cluster, assignment: Assignment, egressIp: EgressIp): Explained[] {
  const wanted = wantedBy(egressIp);
  const plan = assignment.plan(egressIp);
  if (!wanted || !plan)
    return egressIp.requested.map((text) => ({ answer: refused(egressIp, text), cures: [] }));
  return [...wanted.values()].map((ip) => explainAddress(cluster, assignment, egressIp, plan, ip));
}

/** One invalid address keeps the whole object from being reconciled (src/ovn/rules.md R88). */
function refused(egressIp: EgressIp, address: string): AddressAnswer {
  const text = `${JSON.stringify(invalidIn(egressIp))} is no IP address: nothing of the object is touched (event InvalidEgressIP)`;
  const node = egressIp.items.find(({ egressIP }) => egressIP === address)?.node;
  const reasons = [reason(4, text, "correct the spec")];
  return {
    address,
    ...(node === undefined ? {} : { node }),
    summary: `${address}: ${text}`,
    reasons,
    nodes: [],
  };
}

function explainAddress(
  cluster: Cluster,
  assignment: Assignment,
  egressIp: EgressIp,
  plan: Plan,
  ip: IpAddress,
): Explained {
  const { allocator } = assignment;
  const item = egressIp.items.find(({ egressIP }) => egressIP === ip.text);
  const planned = new Map(allocator.heldBy(egressIp.name));
  const holder = planned.get(ip.text);
  planned.delete(ip.text);
  const judged = allocator.judge(egressIp.name, ip, planned);
  const nodes = judged.map((one) => nodeAnswer(one, judged, item?.node));
  const doubled = standsTwice(egressIp, ip) ? [DOUBLED] : [];
  if (item) {
    const wrong = plan.removed.includes(item) ? wrongItem(item.node) : undefined;
    const summary = `${ip.text} is on ${item.node}: ${wrong?.text ?? placedBecause(judged, item.node)}`;
    const found = [...(wrong ? [wrong] : []), ...doubled];
    return { answer: { address: ip.text, node: item.node, summary, reasons: found, nodes }, cures: [] };
  }
  const reasons = reasonsAgainst(cluster, assignment, egressIp, { ip, plan, judged, holder });
  const [first] = reasons;
  const summary = `${ip.text} has no node: ${first?.text ?? "nothing is known of it"}`;
  return {
    answer: { address: ip.text, summary, reasons: [...reasons, ...doubled], nodes },
    cures: reasons.some(({ row }) => LACKS_NODE.has(row)) ? curesOf(judged) : [],
  };
}

const wrongItem = (node: string): Reason =>
  reason(
    16,
    `the status says ${node}, which is not right any more: the address is about to be taken out and placed anew`,
  );

/** Why this node, judged by the current state; the controller chose it when it assigned the address. */
function placedBecause(judged: readonly NodeJudgement[], node: string): string {
  const others = judged.filter((one) => one.node !== node && one.refusal === undefined);
  if (others.length === 0) return "no other node can have it";
  return "it stays where it was placed; addresses never move for balance";
}

const standsTwice = ({ requested }: EgressIp, { text }: IpAddress): boolean =>
  requested.filter((written) => parseIp(written)?.text === text).length > 1;

const DOUBLED = reason(
  19,
  "the address stands twice in the spec: it is placed once, and the object counts as incomplete for ever",
  "remove the double",
);

const REFUSALS: Readonly<Record<Refusal, () => Reason>> = {
  "left out": () => reason(15, "is left out: it has no network of pods (no-hostsubnet)"),
  "not labelled": () => reason(11, `has no label ${LABEL}`, `label a ready node ${LABEL}`),
  "not ready": () => reason(11, "is not Ready", "repair the node"),
  "not known": () =>
    reason(
      13,
      "its annotations node-primary-ifaddr, node-subnets or egress-ipconfig are absent or cannot be read",
      "repair the annotations",
    ),
  "not reachable": () => reason(12, "does not answer", "repair the node; see its port for health checks"),
  "no network": () => reason(7, "has no network for it"),
  "secondary elsewhere": () => reason(8, "others have it in a secondary network, and only these count"),
  "in use": () => reason(9, "holds an address of this EgressIP already"),
  full: () => reason(10, "has used up its capacity"),
};

function nodeAnswer(
  { node, refusals, load }: NodeJudgement,
  judged: readonly NodeJudgement[],
  chosen: string | undefined,
): NodeAnswer {
  const base = { node, assigned: node === chosen, addresses: load, reasons: [] };
  if (node === chosen) return base;
  if (refusals.length > 0) {
    const reasons = refusals.map((refusal) => REFUSALS[refusal]());
    // Remedies are shown only if together they would make the node able to host the address.
    const told = isCurable({ refusals }) ? reasons : reasons.map(({ remedy: _, ...rest }) => rest);
    return { ...base, reasons: told };
  }
  const theirs = judged.find((one) => one.node === chosen)?.load;
  if (chosen === undefined || theirs === undefined) return base;
  return { ...base, reasons: [reason(0, `could have it; it stays on ${chosen}`)] };
}

/** The pods that the EgressIP matches, and those that other EgressIPs also match. */
function usersOf(cluster: Cluster, object: KubeObject): Pick<EgressIpExplanation, "usedBy" | "contested"> {
  const view = egressIpView(object);
  const usedBy: { namespace: string; pods: string[] }[] = [];
  const contested: { pod: string; egressIps: string[] }[] = [];
  for (const namespace of cluster.namespaces(namespaceSelectorOf(view))) {
    const pods = cluster.pods(namespace).filter((pod) => isLive(pod) && selectsPod(view, pod));
    usedBy.push({ namespace, pods: pods.map((pod) => pod.name).sort() });
    for (const pod of pods) {
      const names = candidatesOf(matchingEgressIps(cluster, pod)).map((one) => one.name);
      if (names.length > 1) contested.push({ pod: `${namespace}/${pod.name}`, egressIps: names });
    }
  }
  return { usedBy, contested };
}

/** Summary reasons (rows 2 and 3 of R140) for an EgressIP with an address that no node can host. */
function inSum(addresses: readonly AddressAnswer[]): Reason[] {
  const isTold = addresses.some(
    ({ node, reasons }) => node === undefined && reasons.some(({ row }) => row !== 1 && LACKS_NODE.has(row)),
  );
  if (!isTold) return [];
  return addresses.every(({ node }) => node === undefined)
    ? [reason(2, "eligible nodes are there, and none of them takes any address (event NoMatchingNodeFound)")]
    : [reason(3, "some addresses have a node, and others have none (event UnassignedRequest)")];
}

function summaryOf({ name }: EgressIp, addresses: readonly AddressAnswer[]): string {
  const missing = addresses.filter(({ node }) => node === undefined);
  const [first] = missing;
  if (!first) return `EgressIP ${name}: each of its addresses has a node`;
  return missing.length === 1
    ? first.summary
    : `${missing.length} of ${addresses.length} addresses have no node; ${first.summary}`;
}
