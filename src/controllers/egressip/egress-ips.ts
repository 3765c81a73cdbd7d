// How things stand between EgressIPs and nodes, and what follows from a change of either. Off the cloud the addresses that
// are placed are written into the status at once; on a cloud they are asked for first (cloud-placement.ts).

import type { Occurrence } from "../../meta/occurrence.ts";
import { Allocator } from "../../verdict/assignment/allocator.ts";
import {
  type EgressIp,
  invalidIn,
  MARKS,
  markIn,
  preloadItems,
  readEgressIp,
} from "../../verdict/assignment/egress-ip.ts";
import { type NodeState, readNodeState } from "../../verdict/assignment/node-state.ts";
import { type Plan, planEgressIp, rulesOf, warning } from "../../verdict/assignment/plan.ts";
import type { Change, Keys, KitWith } from "../kit/definition.ts";
import { everyFiveSeconds } from "../kit/reachability.ts";
import { type ControllerSettings, isNewest } from "../kit/settings.ts";
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

/** In what an older product behaves otherwise, beside its decisions. */
export function productOf(settings: ControllerSettings) {
  const isNew = isNewest(settings);
  return {
    /** Who says what is said in events. */
    eventComponent: isNew ? "ovnk-controlplane" : "controlplane",
    rules: rulesOf(settings.profile),
  };
}

export const isOnCloud = ({ platform }: ControllerSettings): boolean => platform !== "none";

/** What the controller of EgressIPs remembers. */
export class EgressIps {
  readonly kit: EgressIpKit;
  protected readonly allocator = new Allocator();
  protected readonly index = new EgressIpIndex();
  /** One per EgressIP for as long as it lives. One that was freed is not the next to be given. */
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

  /** Which addresses are held for whom, and where. */
  holdings(): ReturnType<Allocator["holdings"]> {
    return this.allocator.holdings();
  }

  /** What the statuses say was allocated before is so still: a restart moves nothing. */
  prepare(): Keys {
    const all = this.index.all();
    for (const egressIp of all) this.#keepMark(egressIp);
    const orphaned = this.takeOver(all);
    this.#expectCheck(this.allocator.nodes());
    return this.due([...orphaned, ...all.map(({ name }) => name)]);
  }

  takeEgressIp({ type, object }: Change): void {
    const { name = "" } = object.metadata;
    if (type !== "delete") {
      this.index.set(readEgressIp(object));
      return;
    }
    // Everything is freed at once, so that whatever comes after it in the line finds it free.
    const egressIp = this.index.get(name);
    this.index.delete(name);
    this.kit.queue.forget(name);
    if (egressIp) this.gone(egressIp);
    this.allocator.releaseAll(name);
    this.#marks.release(name);
  }

  /** What else follows from a change, once the start is over. */
  followUp({ type, object, old }: Change): Keys {
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

  /** Told of each change of a CloudPrivateIPConfig; answers with whom it concerns. */
  hear(_change: Change): Keys {
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

  /** Takes in what was so before the start, before anything is reconciled; answers with whom it has to look at for that. */
  protected takeOver(all: readonly EgressIp[]): Keys {
    preloadItems(this.allocator, all);
    return [];
  }

  /** Told of whom there is to decide about; the same keys. */
  protected due(keys: Keys): Keys {
    return keys;
  }

  /** Told of each change of an EgressIP, after the index was changed. */
  protected changed(_before: EgressIp | undefined, _now: EgressIp): void {}

  /** Told of an EgressIP that is gone, while the allocator still holds its addresses. */
  protected gone(_egressIp: EgressIp): void {}

  /** Decides where addresses go, notes it and says what there is to say. Throws where what is wanted cannot be read. */
  protected decide(egressIp: EgressIp, { sticky }: { readonly sticky: boolean }): Plan {
    const { name } = egressIp;
    const plan = planEgressIp(this.allocator, egressIp, { ...this.#product.rules, sticky });
    if (!plan) {
      const invalid = invalidIn(egressIp);
      const message = `egress IP: ${invalid} for object EgressIP: ${name} is not a valid IP address`;
      this.say(warning(name, "InvalidEgressIP", message));
      throw new Error(`invalid EgressIP spec, err: unable to parse provided EgressIP: ${invalid}, invalid`);
    }
    for (const occurrence of plan.said) this.say(occurrence);
    this.allocator.hold(name, plan.held);
    this.#explain(egressIp, plan);
    return plan;
  }

  /** ovn-kubernetes names an EgressIP without uid and apiVersion, and nothing finds its Events by these. */
  say(occurrence: Occurrence): void {
    const { egressIps, settings } = this.kit;
    const { name } = occurrence.subject;
    const object = settings.eventUids === true ? egressIps.get(name) : undefined;
    const shown = object && { uid: object.metadata.uid ?? "", apiVersion: object.apiVersion ?? "" };
    this.kit.say({ ...occurrence, subject: { ...occurrence.subject, ...shown } }, name);
  }

  /** The mark to write; none where the object carries one already, whoever set it, or where there are none. */
  protected newMark({ name, mark }: EgressIp): string | undefined {
    if (mark !== undefined || !this.#product.rules.marks) return undefined;
    const fresh = this.#marks.of(name);
    if (fresh === undefined) throw new Error("no free mark is left");
    return String(fresh);
  }

  /** Takes a mark that the EgressIP carries out of circulation; one that is no mark of ours changes nothing. */
  #keepMark({ name, mark: text }: EgressIp): void {
    const mark = markIn(text);
    if (mark !== undefined && !this.#marks.has(name)) this.#marks.reserve(name, mark);
  }

  /** Nodes are asked only when some would answer otherwise than they are held to. */
  #expectCheck(nodes: readonly NodeState[]): void {
    if (nodes.some(isMisjudged)) this.#checkLater();
  }

  /** Says in the log what was decided, and how each node stood at that moment. */
  #explain({ name }: EgressIp, { kept, removed, freed, placed, said }: Plan): void {
    const { debug } = this.kit.log;
    if (debug === undefined) return; // nobody reads it
    if ([removed, freed, placed, said].every(({ length }) => length === 0)) return; // all stays as it is
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

/** "may host", or what keeps the node from it. */
const standingOf = (state: NodeState): string =>
  NEEDS.flatMap(([need, lack]) => (state[need] ? [] : lack)).join(", ") || "may host";
