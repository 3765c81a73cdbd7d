// Why an address of an EgressIP is unassigned (src/ovn/rules.md R140): every true reason, the decisive one first.

import { cidrContains, type IpAddress } from "../../apimachinery/meta/ip.ts";
import { append } from "../../apimachinery/meta/lists.ts";
import { memoize } from "../../apimachinery/meta/memoize.ts";
import type { NodeJudgement, Refusal } from "../assignment/allocator.ts";
import type { Assignment } from "../assignment/assignment.ts";
import { type CloudPrivateIpConfig, readCloudPrivateIpConfig } from "../assignment/cloud-request.ts";
import { type EgressIp, MARKS, markIn } from "../assignment/egress-ip-spec.ts";
import { EGRESS_ASSIGNABLE_LABEL as LABEL } from "../assignment/node-state.ts";
import type { Plan } from "../assignment/plan.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { nodeView } from "../cluster/node-view.ts";
import { type Reason, reason } from "../reason.ts";

const NAMES_SHOWN = 5;

/** An unassigned address and its findings. */
interface Unplaced {
  readonly ip: IpAddress;
  readonly plan: Plan;
  readonly judged: readonly NodeJudgement[];
  /** The node on which the controller has allocated it nevertheless. */
  readonly holder: string | undefined;
}

/** Reasons why the address is unassigned, the decisive one first. */
export function reasonsAgainst(
  cluster: Cluster,
  assignment: Assignment,
  egressIp: EgressIp,
  { ip, plan, judged, holder }: Unplaced,
): Reason[] {
  const { allocator } = assignment;
  const reasons: Reason[] = [];
  const unreadable = allocator.nodes().filter(({ hostAddresses }) => hostAddresses === undefined);
  const usable = judged.some(({ refusal }) => !STANDING.has(refusal));
  if (!usable) {
    const [cure = NEW_NODE] = curesOf(judged);
    reasons.push(reason(1, "no node is eligible (event NoMatchingNodeFound)", cure));
  }
  if (usable && unreadable.length > 0) {
    const names = unreadable
      .map((node) => node.name)
      .sort()
      .join(", ");
    reasons.push(
      reason(
        14,
        `host-cidrs of ${names} cannot be read: as long as that is so nobody gets a new address`,
        `repair the annotation k8s.ovn.org/host-cidrs of ${names}`,
      ),
    );
  }
  if (plan.ended?.unreached.includes(ip.text)) reasons.push(unreached(plan.ended.at));
  append(reasons, takenBy(assignment, egressIp, ip));
  append(reasons, cloudReasons(cluster, egressIp, { ip, plan, holder }));
  const free = judged.filter(({ refusal }) => refusal === undefined);
  if (usable && free.length === 0)
    append(reasons, noNode(secondaryOnCloud(cluster, assignment, judged, ip), judged));
  if (egressIp.mark === undefined && hasNoMark(assignment)) reasons.push(NO_MARK);
  return reasons.length > 0 ? reasons : [notLookedAt(free)];
}

/** Reports whether all marks are in use, so that no EgressIP can get a new one. */
const hasNoMark = memoize(({ rules, egressIps }: Assignment): boolean => {
  const marks = new Set([...egressIps.values()].flatMap(({ mark }) => markIn(mark) ?? []));
  return rules.marks && marks.size === MARKS.last - MARKS.first + 1;
});

/** Not in src/ovn/rules.md R140. */
const NO_MARK = reason(
  0,
  `it would get a node with a packet mark, and others have all of them (${MARKS.first} to ${MARKS.last})`,
  "delete EgressIPs that nobody needs: each gives its mark back",
);

/** OpenShift 4.13 only (src/ovn/rules.md R132); not in R140. */
const unreached = (at: string): Reason =>
  reason(
    0,
    `${at}, which stands before it, is somebody else's: that ends the search, and nothing behind it is placed`,
    `take ${at} out of the spec`,
  );

/** Conflicts with a host or another EgressIP, in the order in which the profile checks them. */
function takenBy({ allocator, rules }: Assignment, { name }: EgressIp, { text }: IpAddress): Reason[] {
  const isOlder = rules.conflictEndsSearch;
  const host = allocator.hostOf(text);
  const holder = allocator.holderOf(text);
  const event = isOlder ? "UnsupportedRequest" : "EgressIPConflict";
  const byHost =
    host === undefined
      ? []
      : [reason(5, `it is an address of node ${host} itself (event ${event})`, "take another address")];
  if (holder === undefined || holder.egressIp === name) return byHost;
  const byOther = reason(
    6,
    `EgressIP ${holder.egressIp} holds it on ${holder.node} (${isOlder ? "no event says it" : "event UnsupportedRequest"})`,
    "take another address, or free this one and touch the EgressIP: it is not offered again by itself",
  );
  return isOlder ? [byOther, ...byHost] : [...byHost, byOther];
}

const NEW_NODE = "add a node in that network, or take another address";

/** Refusals that hold for every address: the node is not eligible. */
const STANDING: ReadonlySet<Refusal | undefined> = new Set([
  "left out",
  "not labelled",
  "not ready",
  "not known",
  "not reachable",
]);

/** Remedies for nodes that are not eligible. */
const REPAIRS: Readonly<Partial<Record<Refusal, string>>> = {
  "not ready": "repair the node",
  "not known": "repair the annotations",
  "not reachable": "repair the node; see its port for health checks",
};

/** Reports whether every refusal of the node has a remedy. */
export const isCurable = ({ refusals }: Pick<NodeJudgement, "refusals">): boolean =>
  refusals.every((refusal) => refusal === "not labelled" || REPAIRS[refusal] !== undefined);

/** Remedies that would make nodes eligible for the address; nodes without a network for it are omitted. */
export function curesOf(judged: readonly NodeJudgement[]): string[] {
  const curable = judged.filter((one) => one.refusals.length > 0 && isCurable(one));
  const toLabel = curable.filter(({ refusals }) => refusals.length === 1 && refusals[0] === "not labelled");
  const names = toLabel.slice(0, NAMES_SHOWN).map(({ node }) => node);
  const more = toLabel.length > NAMES_SHOWN ? ", …" : "";
  const repairs = curable.flatMap(({ refusals }) => refusals.flatMap((refusal) => REPAIRS[refusal] ?? []));
  return [
    ...(names.length > 0 ? [`label a ready node ${LABEL}: ${names.join(", ")}${more}`] : []),
    ...new Set(repairs),
  ];
}

/** Reasons if there are eligible nodes, but none can host the address. */
function noNode(secondary: readonly string[], judged: readonly NodeJudgement[]): Reason[] {
  const found = new Set(judged.map(({ refusal }) => refusal));
  const reasons = [
    found.has("in use") &&
      reason(
        9,
        "the nodes that could have it hold an address of this EgressIP already: one per node",
        curesOf(judged)[0] ?? "add a node in that network, or take one address fewer",
      ),
    found.has("full") &&
      reason(
        10,
        "the nodes that could have it have used up their capacity",
        "take larger instances, more nodes or fewer addresses",
      ),
    found.has("secondary elsewhere") &&
      reason(
        8,
        "some node has it in a secondary network: nodes that have it in their primary one do not count",
        "free the node with the secondary network",
      ),
  ].filter((one) => one !== false);
  if (reasons.length > 0) return reasons;
  if (secondary.length > 0) return [notOfTheCloud(secondary)];
  return [reason(7, "no network of an assignable node contains it", NEW_NODE)];
}

/** On a cloud: the nodes that have the address in a secondary host network. */
function secondaryOnCloud(
  { facts, snapshot }: Cluster,
  { rules }: Assignment,
  judged: readonly NodeJudgement[],
  ip: IpAddress,
): string[] {
  if (!facts.onCloud || !rules.hostCidrs) return [];
  return judged
    .map(({ node }) => node)
    .filter((name) => {
      const object = snapshot.get("nodes", "", name);
      const { host = [], primary } = object ? nodeView(object) : { primary: [] };
      return host.some((cidr) => cidrContains(cidr, ip)) && !primary.some((cidr) => cidrContains(cidr, ip));
    });
}

const notOfTheCloud = (nodes: readonly string[]): Reason =>
  reason(
    18,
    `only a secondary network of ${nodes.join(", ")} contains it, and a cloud knows those of egress-ipconfig alone`,
    "take an address of the network in the annotation cloud.network.openshift.io/egress-ipconfig",
  );

function notLookedAt(free: readonly NodeJudgement[]): Reason {
  const nodes = free.map(({ node }) => node).join(", ");
  return reason(
    3,
    `nothing is in its way now (${nodes}): it is placed when the EgressIP or a node changes the next time`,
    "touch the EgressIP, for example with a label",
  );
}

/** CloudPrivateIPConfigs by address. */
const cloudRequests = memoize(({ snapshot }: Cluster) => {
  const configs = [...snapshot.list("cloudprivateipconfigs.cloud.network.openshift.io")];
  return new Map(configs.map(readCloudPrivateIpConfig).map((config) => [config.address, config]));
});

/** On a cloud: the state of the CloudPrivateIPConfig (row 17 of src/ovn/rules.md R140). */
function cloudReasons(
  cluster: Cluster,
  { name }: EgressIp,
  { ip: { text }, plan, holder }: Pick<Unplaced, "ip" | "plan" | "holder">,
): Reason[] {
  if (!cluster.facts.onCloud) return [];
  const asked = cloudRequests(cluster).get(text);
  if (asked) return [waitingFor(asked, name)];
  if (holder === undefined) return [];
  return [notAskedFor(holder, { isNext: plan.placed.some(({ egressIP }) => egressIP === text) })];
}

/** No CloudPrivateIPConfig: it is not created yet, or was deleted and the EgressIP has not been reconciled since. */
function notAskedFor(node: string, { isNext }: { readonly isNext: boolean }): Reason {
  const text = `it is held on ${node}, and no CloudPrivateIPConfig asks for it`;
  if (!isNext) return reason(17, text);
  return reason(
    17,
    `${text}: one is made when the EgressIP or a node changes the next time`,
    "touch the EgressIP, for example with a label",
  );
}

function waitingFor({ object, node, owner, deleting, status }: CloudPrivateIpConfig, name: string): Reason {
  const what = `CloudPrivateIPConfig ${object.metadata.name}`;
  if (owner !== undefined && owner !== name)
    return reason(17, `${what} is of EgressIP ${owner}`, "delete the stray object");
  if (deleting) return reason(17, `${what} is being deleted`, "wait for the cloud");
  const [condition] = status.conditions;
  if (condition?.status === "True" && status.node === node) {
    const text = `the cloud has granted it on ${node}, but what ${what} said is in the status no more`;
    return reason(17, text, "delete that object, so that the address is asked for anew");
  }
  const message = condition && condition.message !== "" ? `, ${condition.message}` : "";
  const said = condition
    ? `says that ${condition.type} is ${condition.status}${message}`
    : "has no condition";
  const text = `the cloud has not granted it on ${node} yet: ${what} ${said}`;
  return reason(17, text, "look at its condition; free quota");
}
