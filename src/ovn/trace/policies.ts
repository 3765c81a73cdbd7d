// Stage 4: AdminNetworkPolicies, NetworkPolicies and the BaselineAdminNetworkPolicy, in this order; the first decision is
// final (src/ovn/rules.md R20 to R25). Used for egress of the sending pod and for ingress of the receiving pod.
import {
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { type Cluster, objectKey, selectorIn, selectorOrAll } from "../cluster/cluster.ts";
import { isLive, type PodView } from "../cluster/pod-view.ts";
import { mindHostBits } from "./host-bits.ts";
import {
  type Decider,
  type Destination,
  decider,
  doubt,
  end,
  inWords,
  type PacketPath,
  pass,
  type Stage,
  type Step,
  warn,
} from "./packet-path.ts";
import { isAdminPeer, isPolicyPeer, type Peer } from "./peers.ts";
import { protocolOf } from "./ports.ts";

const PRIORITY_MAX = 99;

export type Direction = "egress" | "ingress";

/** The pod whose policies are evaluated, and the other end of the packet. */
export interface Question {
  readonly direction: Direction;
  readonly pod: PodView;
  readonly peer: Peer;
  /** Port and protocol are those of the receiving end, for both directions. */
  readonly to: Destination;
}

/** Evaluates all policies of one pod; denied paths get an outcome. */
export function throughPolicies(way: PacketPath, cluster: Cluster, question: Question): PacketPath[] {
  // Admin policies apply to logical ports of the default network only (src/ovn/rules.md R23).
  const { network } = question.peer;
  if (!network.isDefault) return networkPolicies(withoutAdmin(way, cluster, question), cluster, question);
  return adminPolicies(way, cluster, question);
}

/** Adds a skipped step with the admin policies that would decide on the default network. */
function withoutAdmin(way: PacketPath, cluster: Cluster, question: Question): PacketPath {
  const by = ADMIN_KINDS.flatMap(([kind, resource]) =>
    [...cluster.snapshot.list(resource)]
      .filter((policy) => isSubject(cluster, policy, question.pod) && priorityOf(policy) <= PRIORITY_MAX)
      .flatMap((policy) => firstRuling(cluster, kind, policy, question)?.by ?? []),
  );
  if (by.length === 0) return way;
  const text = `${by.map(inWords).join(", ")} would rule, but such policies do not hold on network ${question.peer.network.name}`;
  return pass(way, { stage: "admin-network-policy", result: "skipped", by, text, evidence: "source" });
}

const ADMIN = "adminnetworkpolicies.policy.networking.k8s.io";
const BASELINE = "baselineadminnetworkpolicies.policy.networking.k8s.io";
const ADMIN_KINDS = [
  ["AdminNetworkPolicy", ADMIN],
  ["BaselineAdminNetworkPolicy", BASELINE],
] as const;

const priorityOf = (policy: KubeObject): number => numberAt(specOf(policy), "priority") ?? 0;

interface Ruling {
  readonly action: string;
  readonly by: Decider;
}

function adminPolicies(way: PacketPath, cluster: Cluster, question: Question): PacketPath[] {
  const tiers = new Map<number, Ruling[]>();
  let heeded = way;
  for (const policy of cluster.snapshot.list(ADMIN)) {
    if (!isSubject(cluster, policy, question.pod)) continue;
    const priority = priorityOf(policy);
    if (priority > PRIORITY_MAX) {
      const why = `AdminNetworkPolicy ${objectKey(policy)} has priority ${priority}, more than ${PRIORITY_MAX}: it has no effect (event ANPWithUnsupportedPriority)`;
      heeded = warn(heeded, why);
      continue;
    }
    const ruling = firstRuling(cluster, "AdminNetworkPolicy", policy, question);
    if (ruling) tiers.set(priority, [...(tiers.get(priority) ?? []), ruling]);
  }
  const [first] = [...tiers.keys()].sort((a, b) => a - b);
  return first === undefined
    ? networkPolicies(heeded, cluster, question)
    : byPriority(heeded, cluster, question, tiers.get(first) ?? []);
}

/** Rules of one priority with different actions: any may win, so each action is a path (src/ovn/rules.md R21). */
function byPriority(
  way: PacketPath,
  cluster: Cluster,
  question: Question,
  rulings: readonly Ruling[],
): PacketPath[] {
  const actions = new Map(rulings.map((ruling) => [ruling.action, ruling]));
  const names = rulings.map(({ by }) => by.name).join(", ");
  const why = `AdminNetworkPolicies ${names} have the same priority and say different things (event ANPWithDuplicatePriority)`;
  return [...actions.values()].flatMap((ruling) => {
    const one = actions.size > 1 ? doubt(way, why) : way;
    const step = ruled("admin-network-policy", question, ruling);
    if (ruling.action === "Pass") return networkPolicies(pass(one, step), cluster, question);
    return [settled(one, step, question)];
  });
}

function networkPolicies(way: PacketPath, cluster: Cluster, question: Question): PacketPath[] {
  const { pod, direction } = question;
  const selecting = cluster.snapshot
    .list("networkpolicies.networking.k8s.io", pod.namespace)
    .filter(
      (policy) =>
        speaksOf(policy, direction) && selectorIn(specOf(policy)["podSelector"]).matches(pod.labels),
    );
  if (selecting.length === 0) return baseline(way, cluster, question);
  let isOdd = false;
  for (const policy of selecting) {
    const rules = objectsAt(specOf(policy), direction);
    const matches = rules.map((one) => allows(cluster, one, question));
    const rule = matches.findIndex(({ holds }) => holds);
    if (rule < 0) {
      isOdd ||= matches.some((match) => match.isOdd);
      continue;
    }
    const by = decider("NetworkPolicy", policy, rule);
    const peers = objectsAt(rules[rule], direction === "egress" ? "to" : "from");
    const blocks = peers.map((entry) => textAt(objectAt(entry, "ipBlock"), "cidr"));
    const heeded = mindHostBits(way, inWords(by), blocks, question.peer.address);
    const step = ruled("network-policy", question, { action: "Allow", by });
    const evidence = matches[rule]?.isOdd ? "source" : step.evidence;
    return [pass(heeded, { ...step, evidence })];
  }
  const by = selecting.map((policy) => decider("NetworkPolicy", policy));
  const text = `default deny by NetworkPolicies ${by
    .map(({ name }) => name)
    .sort()
    .join(", ")} for ${direction} of pod ${pod.namespace}/${pod.name}: none of their rules allows it`;
  const evidence = isOdd ? "source" : "docs";
  const step: Step = { stage: "network-policy", result: "denied", by, text, evidence };
  return [settled(mindPort(way, question, selecting), step, question)];
}

function baseline(way: PacketPath, cluster: Cluster, question: Question): PacketPath[] {
  const policy = question.peer.network.isDefault ? cluster.snapshot.get(BASELINE, "", "default") : undefined;
  const ruling =
    policy && isSubject(cluster, policy, question.pod)
      ? firstRuling(cluster, "BaselineAdminNetworkPolicy", policy, question)
      : undefined;
  if (!ruling) return [way];
  return [settled(way, ruled("baseline-admin-network-policy", question, ruling), question)];
}

const settled = (way: PacketPath, step: Step, { pod }: Question): PacketPath =>
  step.result === "denied" ? end(way, step, { verdict: "denied", node: pod.node }) : pass(way, step);

const ACTIONS = { Allow: "allowed", Deny: "denied", Pass: "passed" } as const;

function ruled(stage: Stage, { direction, pod }: Question, { action, by }: Ruling): Step {
  const result = action === "Allow" || action === "Deny" ? ACTIONS[action] : ACTIONS.Pass;
  const what = result === "passed" ? "leaves to NetworkPolicies" : result === "denied" ? "denies" : "allows";
  const text = `${inWords(by)} ${what} ${direction} of pod ${pod.namespace}/${pod.name}`;
  return { stage, result, by: [by], text, evidence: "docs" };
}

export function isSubject(cluster: Cluster, policy: KubeObject, pod: PodView): boolean {
  if (!isLive(pod)) return false;
  const subject = objectAt(specOf(policy), "subject");
  const pods = objectAt(subject, "pods");
  const namespaces = pods ? pods["namespaceSelector"] : subject?.["namespaces"];
  return (
    selectorIn(namespaces).matches(cluster.namespaceLabels(pod.namespace)) &&
    selectorOrAll(pods?.["podSelector"]).matches(pod.labels)
  );
}

function firstRuling(
  cluster: Cluster,
  kind: string,
  policy: KubeObject,
  question: Question,
): Ruling | undefined {
  const { direction, peer } = question;
  const rules = objectsAt(specOf(policy), direction);
  const rule = rules.findIndex(
    (one) =>
      objectsAt(one, direction === "egress" ? "to" : "from").some((entry) =>
        isAdminPeer(cluster, entry, peer),
      ) && adminPortsHold(one["ports"], question),
  );
  const found = rules[rule];
  return found && { action: textAt(found, "action"), by: decider(kind, policy, rule) };
}

/** Without a list all ports match. A named port is resolved on the receiving pod, and matches nothing without one. */
function adminPortsHold(ports: unknown, { direction, pod, peer, to }: Question): boolean {
  if (!Array.isArray(ports) || ports.length === 0) return true;
  const receiver = direction === "egress" ? peer.pod : pod;
  return objectsAt({ ports }, "ports").some((entry) => {
    const [single, range] = [objectAt(entry, "portNumber"), objectAt(entry, "portRange")];
    if (single) return protocolOf(single) === to.protocol && numberAt(single, "port") === to.port;
    if (range)
      return (
        protocolOf(range) === to.protocol &&
        isBetween(to.port, numberAt(range, "start"), numberAt(range, "end"))
      );
    const named = receiver && namedPort(receiver, textAt(entry, "namedPort"));
    return named !== undefined && named.protocol === to.protocol && named.port === to.port;
  });
}

function namedPort(
  { object }: PodView,
  name: string,
): { port: number | undefined; protocol: string | undefined } | undefined {
  const containers = objectsAt(specOf(object), "containers");
  const found = containers
    .flatMap((one) => objectsAt(one, "ports"))
    .find((port) => textAt(port, "name") === name);
  return found && { port: numberAt(found, "containerPort"), protocol: protocolOf(found) };
}

const isBetween = (port: number | undefined, first = 0, last = first): boolean =>
  port !== undefined && port >= first && port <= last;

/** Reports whether the policy covers the direction. Default policyTypes: Ingress, and Egress if `egress` is set. */
export function speaksOf(policy: KubeObject, direction: Direction): boolean {
  const spec = specOf(policy);
  const types = textsAt(spec, "policyTypes");
  if (types.length === 0) return direction === "ingress" || spec["egress"] !== undefined;
  return types.includes(direction === "egress" ? "Egress" : "Ingress");
}

interface Match {
  readonly holds: boolean;
  /** The result follows from upstream source that is neither tested nor documented. */
  readonly isOdd: boolean;
}

const NO_MATCH: Match = { holds: false, isOdd: false };

function allows(cluster: Cluster, rule: JsonObject, question: Question): Match {
  const { direction, pod, peer } = question;
  const peers = objectsAt(rule, direction === "egress" ? "to" : "from");
  if (peers.length > 0 && !peers.some((entry) => isPolicyPeer(cluster, entry, peer, pod.namespace)))
    return NO_MATCH;
  return policyPortsHold(objectsAt(rule, "ports"), question);
}

/**
 * Upstream quirks (src/ovn/rules.md R25): a numbered port narrows an entry for the whole protocol in the same rule, and
 * a named port in egress matches every port of its protocol.
 */
function policyPortsHold(ports: readonly JsonObject[], { direction, pod, to }: Question): Match {
  if (ports.length === 0) return { holds: true, isOdd: false };
  const mine = ports.filter((entry) => protocolOf(entry) === to.protocol);
  const numbered = mine.filter(
    ({ port }) => typeof port === "number" || (typeof port === "string" && direction === "ingress"),
  );
  if (numbered.length === 0)
    return { holds: mine.length > 0, isOdd: mine.length > 0 && mine.every(({ port }) => port !== undefined) };
  const holds = numbered.some(({ port, endPort }) => {
    if (typeof port === "string") return namedPort(pod, port)?.port === to.port;
    const first = Number(port);
    return isBetween(to.port, first, typeof endPort === "number" ? endPort : first);
  });
  return { holds, isOdd: !holds && mine.length > numbered.length };
}

/** Warns if no port was given and policies have rules with ports: those rules did not match. */
function mindPort(way: PacketPath, { to, direction }: Question, policies: readonly KubeObject[]): PacketPath {
  const named = policies
    .flatMap((policy) => objectsAt(specOf(policy), direction))
    .flatMap((rule) => objectsAt(rule, "ports"));
  if (to.port !== undefined || to.protocol === "icmp" || named.length === 0) return way;
  return warn(way, "no port was given: rules for certain ports were not met");
}
