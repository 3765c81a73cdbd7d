// How placed addresses reach the API: off the cloud they are written into the status at once, on a cloud they are asked
// for and written when granted. What is the same for both is here.
import type { Change, Keys, KitWith } from "../../kit/definition.ts";
import type { Occurrence } from "../../kit/event-correlator.ts";
import type { EgressIp } from "../egress-ip.ts";
import { EgressIpIndex } from "../egress-ip-index.ts";
import { MarkAllocator } from "../mark-allocator.ts";
import { type Product, productOf } from "../product.ts";
import { Allocator } from "./allocator.ts";
import { applyAllocations } from "./draft.ts";
import { explain } from "./explain.ts";
import { type Plan, planEgressIp, type Refusal } from "./plan.ts";

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

/** How things stand, and what becomes of a decision on them. */
export class Standing {
  readonly allocator = new Allocator();
  readonly index = new EgressIpIndex();
  readonly marks = new MarkAllocator();
  readonly product: Product;
  readonly kit: EgressIpKit;

  constructor(kit: EgressIpKit) {
    this.kit = kit;
    this.product = productOf(kit.settings.profile);
  }

  /** Decides where addresses go, notes it and says what there is to say. The API is the caller's matter. */
  decide(egressIp: EgressIp, { sticky }: { readonly sticky: boolean }): Plan | Refusal {
    const { conflictEndsSearch } = this.product;
    const plan = planEgressIp(this.allocator, egressIp, { sticky, conflictEndsSearch });
    if (!("invalid" in plan)) applyAllocations(this.allocator, egressIp.name, plan.allocations);
    this.say(plan.said);
    if (!("invalid" in plan)) explain(this.kit.log, this.allocator, egressIp, plan);
    return plan;
  }

  /** ovn-kubernetes names an EgressIP without uid and apiVersion, and nothing finds its Events by these. */
  say(occurrences: readonly Occurrence[]): void {
    const { egressIps, settings } = this.kit;
    for (const occurrence of occurrences) {
      const { name } = occurrence.subject;
      const object = settings.eventUids === true ? egressIps.get(name) : undefined;
      const shown = object && { uid: object.metadata.uid ?? "", apiVersion: object.apiVersion ?? "" };
      this.kit.say({ ...occurrence, subject: { ...occurrence.subject, ...shown } }, name);
    }
  }

  /** The mark to write; none where the object carries one already, whoever set it, or where there are none. */
  newMark({ name, mark }: EgressIp): string | undefined {
    if (mark !== undefined || !this.product.marks) return undefined;
    const fresh = this.marks.markOf(name);
    if (fresh === undefined) throw new Error("no free mark is left");
    return fresh;
  }
}

export const invalidSpec = ({ invalid }: Refusal): Error =>
  new Error(`invalid EgressIP spec, err: unable to parse provided EgressIP: ${invalid}, invalid`);
