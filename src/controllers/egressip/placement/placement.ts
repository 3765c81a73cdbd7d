// How placed addresses reach the API: off the cloud they are written into the status at once, on a cloud they are asked
// for and written when granted. The controller takes care of all that is the same for both.
import type { Client, ResourceName } from "../../../client/client.ts";
import type { Informer } from "../../../client/informer.ts";
import type { Occurrence } from "../../runtime/events/event-correlator.ts";
import type { EgressIp } from "../egress-ip.ts";
import type { EgressIpIndex } from "../egress-ip-index.ts";
import type { Allocator } from "./allocator.ts";
import type { Plan } from "./plan.ts";

export interface Placement {
  /** What it watches beside nodes and EgressIPs. */
  readonly informers: readonly Informer[];
  /** Takes in what was so before the start, before anything is reconciled. */
  prepare(egressIps: readonly EgressIp[]): void;
  /** Told of each change of an EgressIP, after the index was changed. */
  changed?(before: EgressIp | undefined, now: EgressIp): void;
  /** Told of an EgressIP that is gone, while the allocator still holds its addresses. */
  gone?(egressIp: EgressIp): void;
  reconcile(name: string): Promise<void>;
}

export interface PlacementContext {
  readonly client: Client;
  readonly allocator: Allocator;
  readonly index: EgressIpIndex;
  /** As AssignOptions says. */
  readonly conflictEndsSearch: boolean;
  informer(resource: ResourceName): Informer;
  hasNode(name: string): boolean;
  /** Logs what was decided on an EgressIP; left out while nobody reads that. */
  readonly explain?: ((egressIp: EgressIp, plan: Plan) => void) | undefined;
  say(occurrences: readonly Occurrence[]): void;
  /** The mark to write; none where the object carries one already. */
  newMark(egressIp: EgressIp): string | undefined;
  /** Puts an EgressIP in the line; before the start nothing is put there. */
  lookAt(name: string): void;
}

export const invalidSpec = (text: string): Error =>
  new Error(`invalid EgressIP spec, err: unable to parse provided EgressIP: ${text}, invalid`);
