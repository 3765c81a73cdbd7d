// Placement off the cloud: what was decided is written at once, in a single change of the status.
import type { EgressIp } from "../egress-ip.ts";
import { isWritten, writeStatus } from "../status-writer.ts";
import type { Placement, PlacementContext } from "./placement.ts";
import { invalidSpec } from "./placement.ts";
import { planEgressIp } from "./plan.ts";
import { preloadItems } from "./preload.ts";

export function createDirectPlacement(context: PlacementContext): Placement {
  const { client, allocator, index, conflictEndsSearch } = context;
  return {
    informers: [],
    prepare: (all: readonly EgressIp[]) => preloadItems(allocator, all),
    async reconcile(name) {
      const egressIp = index.get(name);
      if (!egressIp) return;
      const plan = planEgressIp(allocator, egressIp, { sticky: false, conflictEndsSearch });
      context.say(plan.said);
      if ("invalid" in plan) throw invalidSpec(plan.invalid);
      context.explain?.(egressIp, plan);
      const { kept, removed, placed } = plan;
      if (placed.length === 0 && removed.length === 0) return;
      const change = { items: [...kept, ...placed], mark: context.newMark(egressIp) };
      if (!isWritten(egressIp, change)) await writeStatus(client, egressIp, change);
    },
  };
}
