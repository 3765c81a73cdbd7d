// How placed addresses reach the API: off the cloud they are written into the status at once, on a cloud they are asked
// for and written when granted (cloud-placement.ts). What is the same for both is here.
import { parseIp } from "../../meta/ip.ts";
import type { Change, Keys, KitWith } from "../kit/definition.ts";
import type { Occurrence } from "../kit/event-correlator.ts";
import type { ControllerSettings, Profile } from "../kit/settings.ts";
import { Allocator } from "./allocator.ts";
import {
  type EgressIp,
  EgressIpIndex,
  MarkAllocator,
  type StatusItem,
  wantedBy,
  writeStatus,
} from "./egress-ip.ts";
import type { NodeState } from "./node-state.ts";
import { applyAllocations, type Plan, planEgressIp, type Refusal } from "./plan.ts";

export type EgressIpKit = KitWith<"nodes" | "egressIps" | "configs">;

export interface Placement {
  /** Takes in what was so before the start, before anything is reconciled; answers with whom it has to look at for that. */
  prepare(egressIps: readonly EgressIp[]): Keys;
  /** Told of each change of an EgressIP, after the index was changed. */
  changed?(before: EgressIp | undefined, now: EgressIp): void;
  /** Told of an EgressIP that is gone, while the allocator still holds its addresses. */
  gone?(egressIp: EgressIp): void;
  /** Told of each change of a CloudPrivateIPConfig; answers with whom it concerns. */
  hear?(change: Change): Keys;
  reconcile(name: string): Promise<void>;
}

export const createDirectPlacement = (standing: Standing): Placement => ({
  prepare(all) {
    preloadItems(standing.allocator, all);
    return [];
  },
  async reconcile(name) {
    const egressIp = standing.index.get(name);
    if (!egressIp) return;
    const plan = standing.decide(egressIp, { sticky: false });
    if ("invalid" in plan) throw invalidSpec(plan);
    const { kept, removed, placed } = plan;
    if (placed.length === 0 && removed.length === 0) return;
    const change = { items: [...kept, ...placed], mark: standing.newMark(egressIp) };
    await writeStatus(standing.kit.client, egressIp, change);
  },
});

/**
 * What was allocated before the controller started: the statuses say it. They are taken in before anything is reconciled, so
 * that an EgressIP that holds an address keeps it against others that want it. Of two statuses that claim one address the
 * one that is right wins, then the first in the order given.
 */
export function preloadItems(allocator: Allocator, egressIps: readonly EgressIp[]): void {
  const doubtful: { name: string; item: StatusItem }[] = [];
  for (const egressIp of egressIps) {
    const { name, items } = egressIp;
    const wanted = wantedBy(egressIp);
    for (const item of items) {
      const ip = parseIp(item.egressIP);
      if (ip?.text !== item.egressIP) continue;
      const isRight = wanted?.has(ip.text) && allocator.canHost(item.node, ip);
      if (isRight) allocator.allocate(name, item.egressIP, item.node);
      else doubtful.push({ name, item });
    }
  }
  for (const { name, item } of doubtful) allocator.allocate(name, item.egressIP, item.node);
}

/** In what an older product behaves otherwise (behaviour.md, section i and the rules marked 413). */
interface Product {
  /** Who says what is said in events. */
  readonly eventComponent: string;
  /** An EgressIP with a node carries a mark. */
  readonly marks: boolean;
  /** k8s.ovn.org/host-cidrs is read: it names secondary networks and all of a host's own addresses. */
  readonly hostCidrs: boolean;
  /** An address that cannot be had ends the search for the addresses behind it, and nothing is said in sum. */
  readonly conflictEndsSearch: boolean;
}

const PRODUCTS: Readonly<Record<Profile, Product>> = {
  "ovn-kubernetes-2026": {
    eventComponent: "ovnk-controlplane",
    marks: true,
    hostCidrs: true,
    conflictEndsSearch: false,
  },
  "openshift-4.13": {
    eventComponent: "controlplane",
    marks: false,
    hostCidrs: false,
    conflictEndsSearch: true,
  },
};

export const productOf = ({ profile }: ControllerSettings): Product => PRODUCTS[profile];

/** How things stand, and what becomes of a decision on them. */
export class Standing {
  readonly allocator = new Allocator();
  readonly index = new EgressIpIndex();
  readonly marks = new MarkAllocator();
  readonly product: Product;
  readonly kit: EgressIpKit;

  constructor(kit: EgressIpKit) {
    this.kit = kit;
    this.product = productOf(kit.settings);
  }

  /** Decides where addresses go, notes it and says what there is to say. The API is the caller's matter. */
  decide(egressIp: EgressIp, { sticky }: { readonly sticky: boolean }): Plan | Refusal {
    const { conflictEndsSearch } = this.product;
    const plan = planEgressIp(this.allocator, egressIp, { sticky, conflictEndsSearch });
    for (const occurrence of plan.said) this.say(occurrence);
    if ("invalid" in plan) return plan;
    applyAllocations(this.allocator, egressIp.name, plan.allocations);
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
  newMark({ name, mark }: EgressIp): string | undefined {
    if (mark !== undefined || !this.product.marks) return undefined;
    const fresh = this.marks.markOf(name);
    if (fresh === undefined) throw new Error("no free mark is left");
    return fresh;
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

export const invalidSpec = ({ invalid }: Refusal): Error =>
  new Error(`invalid EgressIP spec, err: unable to parse provided EgressIP: ${invalid}, invalid`);

/** "may host", or what keeps the node from it. */
function standingOf({ labelled, ready, reachable, known }: NodeState): string {
  const lacks = [
    ...(labelled ? [] : ["has no label k8s.ovn.org/egress-assignable"]),
    ...(ready ? [] : ["is not Ready"]),
    ...(reachable ? [] : ["is not reachable"]),
    ...(known ? [] : ["has not said its networks"]),
  ];
  return lacks.length === 0 ? "may host" : lacks.join(", ");
}
