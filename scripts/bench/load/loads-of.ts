// Loads of one kind, one after the other, for one server.
import { createLoad } from "../client/egress-ips.ts";
import type { Limits, Sample } from "../measure.ts";
import type { Target } from "../plan.ts";

export type Loads = (connections: number, limits: Limits) => Promise<Sample>;

/** Each goes on with the number behind the last one of the one before; names of creates never come twice. */
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
