// Successive loads of one kind for one server.
import { createLoad } from "../client/egress-ips.ts";
import type { Limits, Sample } from "../measure.ts";
import type { Target } from "../plan.ts";

export type Loads = (connections: number, limits: Limits) => Promise<Sample>;

/** Each load continues after the last number of the one before, so names of creates are unique. */
export function loadsOf({ generator, plan, access }: Target, text: string, first = plan.prepared): Loads {
  let next = first;
  const names = text === createLoad() ? {} : { names: plan.prepared };
  return async (connections, limits) => {
    const requests = { text, first: next, ...names };
    const loaded = await generator.for(access).load(access, requests, { connections, limits });
    next = loaded.next;
    return loaded.sample;
  };
}
