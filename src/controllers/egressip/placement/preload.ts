// What was allocated before the controller started: the statuses say it. They are taken in before anything is
// reconciled, so that an EgressIP that holds an address keeps it against others that want it.
import { parseIp } from "../../../meta/ip.ts";
import type { EgressIp, StatusItem } from "../egress-ip.ts";
import type { Allocator } from "./allocator.ts";

/** Of two statuses that claim one address the one that is right wins, then the first in the order given. */
export function preloadItems(allocator: Allocator, egressIps: readonly EgressIp[]): void {
  const doubtful: { name: string; item: StatusItem }[] = [];
  for (const { name, requested, items } of egressIps) {
    const wanted = requested.map((text) => parseIp(text)?.text);
    const valid = !wanted.includes(undefined);
    for (const item of items) {
      const ip = parseIp(item.egressIP);
      if (ip?.text !== item.egressIP) continue;
      const right = valid && wanted.includes(ip.text) && allocator.canHost(item.node, ip);
      if (right) allocator.allocate(name, item.egressIP, item.node);
      else doubtful.push({ name, item });
    }
  }
  for (const { name, item } of doubtful) allocator.allocate(name, item.egressIP, item.node);
}
