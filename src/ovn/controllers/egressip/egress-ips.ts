// Controller state for EgressIPs and nodes, and the keys that a change of either enqueues. Without a cloud, assigned
// addresses are written to the status at once; on a cloud they are requested first (cloud-placement.ts).

import type { Occurrence } from "../../../apimachinery/meta/occurrence.ts";
import type { Change, Keys, KitWith } from "../../../controller/definition.ts";
import { everyFiveSeconds } from "../../../controller/reachability.ts";
import { type ControllerSettings, isNewest } from "../../../controller/settings.ts";
import { Allocator } from "../../assignment/allocator.ts";
import {
  type EgressIp,
  invalidIn,
  MARKS,
  markIn,
  preloadItems,
  readEgressIp,
} from "../../assignment/egress-ip-spec.ts";
import { type NodeState, readNodeState } from "../../assignment/node-state.ts";
import { type Plan, planEgressIp, rulesOf, warning } from "../../assignment/plan.ts";
import { Numbers } from "../network-annotations/numbers.ts";
import {
  checkReachability,
  dropNode,
  EgressIpIndex,
  isMisjudged,
  takeNode,
  writeStatus,
} from "./egress-ip.ts";

export type EgressIpKit = KitWith<"nodes" | "egressIps" | "configs">;

/** Differences between profiles; `rules` are those of the assignment plan. */
export function productOf(settings: ControllerSettings) {
  const isNew = isNewest(settings);
  return {
    /** source.component of Events. */
    eventComponent: isNew ? "ovnk-controlplane" : "controlplane",
    rules: rulesOf(settings.profile),
  };
}

export const isOnCloud = ({ platform }: ControllerSettings): boolean => platform !== "none";

/** In-memory state and reconcile function of the EgressIP controller. */
export class EgressIps {
  readonly kit: EgressIpKit;
  protected readonly allocator = new Allocator();
  protected readonly index = new EgressIpIndex();
  /** One mark for each existing EgressIP, allocated round-robin (src/ovn/rules.md R92). */
  readonly #marks = new Numbers({ ...MARKS, goingRound: true });
  readonly #product: ReturnType<typeof productOf>;
  readonly #checkLater: () => void;

  constructor(kit: EgressIpKit) {
    this.kit = kit;
    this.#product = productOf(kit.settings);
    this.#checkLater = everyFiveSeconds(kit, () => {
      kit.look(this.due(checkReachability(this.allocator, this.index)));
    });
  }

  describe(): ReturnType<Allocator["describe"]> {
    return this.allocator.describe();
  }

  /** All allocations: address, EgressIP and node. */
  holdings(): ReturnType<Allocator["holdings"]> {
    return this.allocator.holdings();
  }

  /** Rebuilds allocations and marks from the statuses after a start, so a restart moves nothing. Enqueues every EgressIP. */
  prepare(): Keys {
    const all = this.index.all();
    for (const egressIp of all) this.#keepMark(egressIp);
    const orphaned = this.adoptStatus(all);
    this.#expectCheck(this.allocator.nodes());
    return this.due([...orphaned, ...all.map(({ name }) => name)]);
  }

  takeEgressIp({ type, object }: Change): void {
    const { name = "" } = object.metadata;
    if (type !== "delete") {
      this.index.set(readEgressIp(object));
      return;
    }
    // Released at once, so that later keys in the work queue can use the addresses.
    const egressIp = this.index.get(name);
    this.index.delete(name);
    this.kit.queue.forget(name);
    if (egressIp) this.gone(egressIp);
    this.allocator.releaseAll(name);
    this.#marks.release(name);
  }

  /** Keys to enqueue for a change after the initial sync. */
  onUpdate({ type, object, old }: Change): Keys {
    const now = readEgressIp(object);
    const keys = this.due([now.name]);
    if (type === "delete") return keys;
    this.#keepMark(now);
    this.changed(old && readEgressIp(old), now);
    return keys;
  }

  takeNode({ type, object }: Change): Keys {
    const { name = "" } = object.metadata;
    if (type === "delete") return this.due(dropNode(this.allocator, this.index, name));
    const before = this.allocator.node(name);
    const onCloud = isOnCloud(this.kit.settings);
    const state = readNodeState(object, before, { ...this.#product.rules, onCloud });
    const affected = takeNode(this.allocator, this.index, before, state);
    const settled = this.allocator.node(name);
    if (settled) this.#expectCheck([settled]);
    return this.due(affected);
  }

  /** Returns the keys of EgressIPs affected by a CloudPrivateIPConfig change. */
  onCloudPrivateIpConfig(_change: Change): Keys {
    return [];
  }

  async reconcile(name: string): Promise<void> {
    const egressIp = this.index.get(name);
    if (!egressIp) return;
    const { kept, removed, placed } = this.decide(egressIp, { sticky: false });
    if (placed.length === 0 && removed.length === 0) return;
    const change = { items: [...kept, ...placed], mark: this.newMark(egressIp) };
    await writeStatus(this.kit.client, egressIp, change);
  }

  /** Rebuilds allocations before the first reconcile; returns further keys to enqueue. */
  protected adoptStatus(all: readonly EgressIp[]): Keys {
    preloadItems(this.allocator, all);
    return [];
  }

  /** Called with the keys whose assignment must be planned again; returns the same keys. */
  protected due(keys: Keys): Keys {
    return keys;
  }

  /** Called for each change of an EgressIP, after the index update. */
  protected changed(_before: EgressIp | undefined, _now: EgressIp): void {}

  /** Called for a deleted EgressIP before its allocations are released. */
  protected gone(_egressIp: EgressIp): void {}

  /** Plans the assignment, updates the allocator and records events. Throws if the spec is invalid. */
  protected decide(egressIp: EgressIp, { sticky }: { readonly sticky: boolean }): Plan {
    const { name } = egressIp;
    const plan = planEgressIp(this.allocator, egressIp, { ...this.#product.rules, sticky });
    if (!plan) {
      const invalid = invalidIn(egressIp);
      const message = `egress IP: ${invalid} for object EgressIP: ${name} is not a valid IP address`;
      this.recordEvent(warning(name, "InvalidEgressIP", message));
      throw new Error(`invalid EgressIP spec, err: unable to parse provided EgressIP: ${invalid}, invalid`);
    }
    for (const occurrence of plan.said) this.recordEvent(occurrence);
    this.allocator.hold(name, plan.held);
    this.#explain(egressIp, plan);
    return plan;
  }

  /** Records an event. ovn-kubernetes omits uid and apiVersion of involvedObject; setting eventUids adds them. */
  recordEvent(occurrence: Occurrence): void {
    const { egressIps, settings } = this.kit;
    const { name } = occurrence.subject;
    const object = settings.eventUids === true ? egressIps.get(name) : undefined;
    const shown = object && { uid: object.metadata.uid ?? "", apiVersion: object.apiVersion ?? "" };
    this.kit.recordEvent({ ...occurrence, subject: { ...occurrence.subject, ...shown } }, name);
  }

  /** The mark to write; undefined if the object has the annotation (any value), or the profile has no marks. */
  protected newMark({ name, mark }: EgressIp): string | undefined {
    if (mark !== undefined || !this.#product.rules.marks) return undefined;
    const fresh = this.#marks.of(name);
    if (fresh === undefined) throw new Error("no free mark is left");
    return String(fresh);
  }

  /** Reserves the mark of an EgressIP; a mark that is invalid or out of range is ignored. */
  #keepMark({ name, mark: text }: EgressIp): void {
    const mark = markIn(text);
    if (mark !== undefined && !this.#marks.has(name)) this.#marks.reserve(name, mark);
  }

  /** Schedules a reachability check only if the result of a node would change. */
  #expectCheck(nodes: readonly NodeState[]): void {
    if (nodes.some(isMisjudged)) this.#checkLater();
  }

  /** Logs the plan with the eligibility of each node. */
  #explain({ name }: EgressIp, { kept, removed, freed, placed, said }: Plan): void {
    const { debug } = this.kit.log;
    if (debug === undefined) return; // debug log is off
    if ([removed, freed, placed, said].every(({ length }) => length === 0)) return; // unchanged
    debug("placed", {
      controller: "egressip",
      object: `egressips.k8s.ovn.org ${name}`,
      what: { kept, removed, freed, placed },
      why: {
        nodes: Object.fromEntries(this.allocator.nodes().map((node) => [node.name, standingOf(node)])),
        said: said.map(({ message }) => message),
      },
    });
  }
}

const NEEDS = [
  ["labelled", "has no label k8s.ovn.org/egress-assignable"],
  ["ready", "is not Ready"],
  ["reachable", "is not reachable"],
  ["known", "has not said its networks"],
] as const;

/** "may host", or the reasons why the node is not eligible. */
const standingOf = (state: NodeState): string =>
  NEEDS.flatMap(([need, lack]) => (state[need] ? [] : lack)).join(", ") || "may host";
