// Facts: the view model of the map. Addresses have a state, nodes their assigned addresses. Pure.
import type {
  CloudRequestRecord,
  EgressIpRecord,
  EgressServiceRecord,
  NamespaceRecord,
  NodeRecord,
  PodRecord,
} from "../data/records.ts";
import { type Move, moveKey } from "./moves.ts";

/** The cluster's objects, and what EgressIPs select. */
export interface Known {
  readonly namespaces: readonly NamespaceRecord[];
  readonly nodes: readonly NodeRecord[];
  readonly egressIps: readonly EgressIpRecord[];
  readonly egressServices: readonly EgressServiceRecord[];
  readonly cloudRequests: readonly CloudRequestRecord[];
  podsIn(namespace: string): readonly PodRecord[];
  podCount(namespace: string): number;
  /** Addresses in the load balancer status of a Service. */
  loadBalancerOf(namespace: string, service: string): readonly string[];
  /** Names of the namespaces that an EgressIP selects, sorted. */
  namespacesOf(egressIp: EgressIpRecord): readonly string[];
  /** Names of the EgressIPs that select a pod. */
  egressIpsOf(pod: PodRecord): readonly string[];
}

/** State of an address or object. It has a sign and a word, because colour alone is not accessible. */
export type Mark = "bad" | "twice" | "wait" | "move" | "ok";

/** By severity, most severe first. */
export const MARKS: readonly Mark[] = ["bad", "twice", "wait", "move", "ok"];
export const SIGNS: Readonly<Record<Mark, string>> = { bad: "✕", twice: "!", wait: "…", move: "⇄", ok: "✓" };

export const needsAttention = (mark: Mark): boolean => mark === "bad" || mark === "twice" || mark === "wait";

/** The most severe of the marks; "ok" for none. */
export function worst(marks: Iterable<Mark>): Mark {
  let found = MARKS.length - 1;
  for (const mark of marks) found = Math.min(found, MARKS.indexOf(mark));
  return MARKS[found] ?? "ok";
}

export type Family = 4 | 6;

export const familyOf = (address: string): Family => (address.includes(":") ? 6 : 4);

export interface AddressFact {
  readonly address: string;
  readonly mark: Mark;
  /** "" for an unassigned address. */
  readonly node: string;
  /** Pending cloud request, or why the address is unassigned; otherwise "". */
  readonly note: string;
  /** The newest move that this tab has observed. */
  readonly move: Move | undefined;
  /** The planned assignment, in a what-if plan. */
  readonly ghost?: Ghost;
}

export interface Ghost {
  /** The node in the plan; "" for unassigned. */
  readonly to: string;
}

/** An EgressIP or EgressService: a card of the middle column. */
export interface Target {
  readonly key: string;
  readonly kind: "EgressIP" | "EgressService";
  readonly namespace: string;
  readonly name: string;
  readonly mark: Mark;
  readonly addresses: readonly AddressFact[];
  readonly users: readonly string[];
  /** The object exists only in the plan. */
  readonly isNew?: boolean;
}

export const egressIpKey = (name: string): string => `eip/${name}`;
export const nodeKey = (name: string): string => `node/${name}`;
export const namespaceKey = (name: string): string => `ns/${name}`;

/** Time after a move during which an address counts as moving, in milliseconds. */
export const MOVING_MS = 4_000;

export interface Facts {
  readonly targets: readonly Target[];
  readonly nodes: readonly NodeFact[];
  readonly namespaces: readonly NamespaceFact[];
  readonly counts: Readonly<Record<Mark, number>>;
}

/** `moves` has the newest move of each address, by `moveKey`. */
export function factsOf(known: Known, moves: ReadonlyMap<string, Move>, nowMs: number): Facts {
  const requests = new Map(known.cloudRequests.map((request) => [request.address, request]));
  const targets = [
    ...known.egressIps.map((record) => egressIpTarget(record, { known, requests, moves, nowMs })),
    ...known.egressServices.map((record) => egressServiceTarget(record, known)),
  ].sort(byName);
  const counts = { bad: 0, twice: 0, wait: 0, move: 0, ok: 0 };
  for (const { addresses } of targets) for (const { mark } of addresses) counts[mark]++;
  return { targets, counts, nodes: nodeFacts(known, targets), namespaces: namespaceFacts(known, targets) };
}

interface Around {
  readonly known: Known;
  readonly requests: ReadonlyMap<string, CloudRequestRecord>;
  readonly moves: ReadonlyMap<string, Move>;
  readonly nowMs: number;
}

/**
 * Cached target with the inputs it was computed from. Few of 5,000 EgressIPs change between redraws, so unchanged ones
 * must be cheap.
 */
interface Told {
  readonly target: Target;
  readonly about: readonly AboutAddress[];
}

interface AboutAddress {
  readonly address: string;
  readonly moveKey: string;
  readonly request: CloudRequestRecord | undefined;
  readonly move: Move | undefined;
  readonly isRecent: boolean;
}

const told = new WeakMap<EgressIpRecord, Told>();

const isRecent = (move: Move | undefined, nowMs: number): boolean =>
  move !== undefined && nowMs - move.atMs < MOVING_MS;

function egressIpTarget(record: EgressIpRecord, around: Around): Target {
  const users = around.known.namespacesOf(record);
  const before = told.get(record);
  if (before && isSame(before.target.users, users) && isStillSo(before, around)) return before.target;
  const { requests, moves, nowMs } = around;
  const nodes = new Map(record.assigned.map(({ address, node }) => [address, node]));
  const wanted = record.addresses.length > 0 ? record.addresses : [...nodes.keys()];
  const about = wanted.map((address): AboutAddress => {
    const key = moveKey(record.name, address);
    const move = moves.get(key);
    return {
      ...{ address, moveKey: key, request: requests.get(address) },
      ...{ move, isRecent: isRecent(move, nowMs) },
    };
  });
  const addresses = about.map(({ address, move }) =>
    addressFact({ address, node: nodes.get(address) ?? "", move }, around),
  );
  const target: Target = {
    key: egressIpKey(record.name),
    ...{ kind: "EgressIP", namespace: "", name: record.name },
    ...{ addresses, users, mark: worst(addresses.map(({ mark }) => mark)) },
  };
  told.set(record, { target, about });
  return target;
}

function isStillSo({ about }: Told, { requests, moves, nowMs }: Around): boolean {
  for (const one of about) {
    const move = moves.get(one.moveKey);
    if (move !== one.move || isRecent(move, nowMs) !== one.isRecent) return false;
    if (requests.get(one.address) !== one.request) return false;
  }
  return true;
}

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a === b || (a.length === b.length && a.every((one, index) => one === b[index]));

function addressFact(
  is: Pick<AddressFact, "address" | "node" | "move">,
  { requests, nowMs }: Around,
): AddressFact {
  const request = requests.get(is.address);
  const isAsked = request !== undefined && request.askedNode !== request.grantedNode;
  if (is.node === "") {
    if (!isAsked) return { ...is, mark: "bad", note: "has no node" };
    return { ...is, mark: "wait", note: request.problem || `the cloud is asked for ${request.askedNode}` };
  }
  if (isAsked && request.askedNode !== is.node)
    return { ...is, mark: "wait", note: `the cloud is asked for ${request.askedNode || "nothing"}` };
  const { move } = is;
  const isMoving =
    move !== undefined && move.from !== "" && move.to === is.node && nowMs - move.atMs < MOVING_MS;
  return { ...is, mark: isMoving ? "move" : "ok", note: "" };
}

/** status.host of an EgressService when each node sends from its own address; no single node holds it. */
const EVERY_NODE = "ALL";

function egressServiceTarget(record: EgressServiceRecord, known: Known): Target {
  const { namespace, name, host, sourceIpBy } = record;
  const mark = host === "" ? "bad" : "ok";
  const node = host === EVERY_NODE ? "" : host;
  const note = host === "" ? "has no node" : host === EVERY_NODE ? "every node, by its own address" : "";
  const written = sourceIpBy === "Network" ? [] : known.loadBalancerOf(namespace, name);
  const addresses = written.length > 0 ? written : ["the node's address"];
  return {
    key: `es/${namespace}/${name}`,
    ...{ kind: "EgressService", namespace, name, mark, users: [namespace] },
    addresses: addresses.map((address) => ({ address, mark, node, note, move: undefined })),
  };
}

/** Usage of a node's egress address capacity; without `of` there is no limit. */
export interface Meter {
  readonly label: "IPv4" | "IPv6" | "IP";
  readonly used: number;
  readonly of?: number;
}

export interface NodeFact {
  readonly key: string;
  readonly name: string;
  readonly zone: string;
  readonly mark: Mark;
  /** "Ready · assignable" and the like. */
  readonly state: string;
  readonly isAssignable: boolean;
  readonly meters: readonly Meter[];
  readonly used: number;
  /** Its state in the plan, as text. */
  readonly ghost?: string;
}

type Used = Readonly<Record<Family, number>>;
const NONE_USED: Used = { 4: 0, 6: 0 };

function nodeFacts({ nodes }: Known, targets: readonly Target[]): NodeFact[] {
  const used = new Map<string, Record<Family, number>>();
  for (const { kind, addresses } of targets) {
    if (kind !== "EgressIP") continue;
    for (const { address, node } of addresses) {
      let counts = used.get(node);
      if (!counts) {
        counts = { 4: 0, 6: 0 };
        used.set(node, counts);
      }
      counts[familyOf(address)]++;
    }
  }
  return nodes
    .map((record) => nodeFact(record, used.get(record.name) ?? NONE_USED))
    .sort((a, b) => compare(a.zone, b.zone) || compare(a.name, b.name));
}

const toldOfNodes = new WeakMap<NodeRecord, { readonly used: Used; readonly fact: NodeFact }>();

/** Returns the cached fact if the number of assigned addresses is unchanged. */
function nodeFact(record: NodeRecord, used: Used): NodeFact {
  const before = toldOfNodes.get(record);
  if (before && before.used[4] === used[4] && before.used[6] === used[6]) return before.fact;
  const fact = newNodeFact(record, used);
  toldOfNodes.set(record, { used, fact });
  return fact;
}

function newNodeFact(record: NodeRecord, used: Used): NodeFact {
  const { name, zone, isReady, isAssignable, isEnding, capacity } = record;
  const words = [isEnding ? "ending" : isReady ? "Ready" : "not Ready"];
  if (isReady && !isEnding) words.push(isAssignable ? "assignable" : "not assignable");
  const meters: Meter[] =
    capacity?.ip === undefined
      ? [meter("IPv4", used[4], capacity?.ipv4), meter("IPv6", used[6], capacity?.ipv6)]
      : [meter("IP", used[4] + used[6], capacity.ip)];
  return {
    ...{ key: nodeKey(name), name, zone, isAssignable, meters, used: used[4] + used[6] },
    ...{ mark: isReady && !isEnding ? "ok" : "bad", state: words.join(" · ") },
  };
}

const meter = (label: Meter["label"], used: number, of: number | undefined): Meter =>
  of === undefined ? { label, used } : { label, used, of };

export interface NamespaceFact {
  readonly key: string;
  readonly name: string;
  readonly pods: number;
  /** Labels as text, without the one that repeats the name. */
  readonly labels: string;
  readonly mark: Mark;
  readonly hasEgress: boolean;
}

const NAME_LABEL = "kubernetes.io/metadata.name";

function namespaceFacts(known: Known, targets: readonly Target[]): NamespaceFact[] {
  const marks = new Map<string, Mark>();
  for (const { users, mark } of targets)
    for (const user of users) {
      const other = marks.get(user);
      if (other !== mark) marks.set(user, other === undefined ? mark : worst([other, mark]));
    }
  return known.namespaces
    .map((record) => {
      const { name } = record;
      return {
        ...{ key: namespaceKey(name), name, pods: known.podCount(name), labels: labelsText(record) },
        ...{ mark: marks.get(name) ?? "ok", hasEgress: marks.has(name) },
      };
    })
    .sort(byName);
}

const labelTexts = new WeakMap<NamespaceRecord, string>();

function labelsText(record: NamespaceRecord): string {
  let text = labelTexts.get(record);
  if (text === undefined) {
    const others = Object.entries(record.labels).filter(([key]) => key !== NAME_LABEL);
    text = others.map(([key, value]) => `${key}=${value}`).join(", ");
    labelTexts.set(record, text);
  }
  return text;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const byName = (a: { name: string; key: string }, b: { name: string; key: string }): number =>
  compare(a.name, b.name) || compare(a.key, b.key);
