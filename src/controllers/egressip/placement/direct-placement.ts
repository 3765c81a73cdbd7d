// Placement off the cloud: what was decided is written at once, in a single change of the status.
import { isWritten, writeStatus } from "../status-writer.ts";
import { invalidSpec, type Placement, type Standing } from "./placement.ts";
import { preloadItems } from "./preload.ts";

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
    if (!isWritten(egressIp, change)) await writeStatus(standing.kit.client, egressIp, change);
  },
});
