// One look at one EgressService: whether its node is right, and where it goes if not. It changes the allocator and
// answers with the host to write; repeating it changes nothing more.
import type { ServiceAllocator } from "./allocator.ts";
import { ALL_HOSTS, type EgressService, NO_HOST } from "./egress-service.ts";
import type { Requirement } from "./requirement.ts";

/** The host that the status has to say; undefined when none is to be written where there is none. */
export function placeService(
  allocator: ServiceAllocator,
  key: string,
  requirement: Requirement,
): string | undefined {
  switch (requirement.type) {
    case "nothing":
      allocator.release(key);
      return NO_HOST;
    case "every-node":
      allocator.release(key);
      return ALL_HOSTS;
    case "unclear":
      // A service that has a node stays where it is until the selector is readable again.
      return allocator.allocationOf(key)?.node;
    case "node": {
      const { selector } = requirement;
      const current = allocator.allocationOf(key)?.node;
      const stays = current !== undefined && selector.matches(allocator.node(current)?.labels);
      if (!stays) allocator.release(key);
      const node = stays ? current : allocator.chooseNode(selector);
      if (node !== undefined && allocator.allocate(key, { node, selector })) return node;
      allocator.wait(key, selector);
      return undefined;
    }
  }
}

/** Notes what the status said before the controller started, where it still holds: a restart moves nothing. */
export function keepService(
  allocator: ServiceAllocator,
  key: string,
  { host }: EgressService,
  requirement: Requirement,
): void {
  const node = host ? allocator.node(host) : undefined;
  if (!node) return;
  if (requirement.type === "unclear") allocator.allocate(key, { node: node.name, selector: undefined });
  if (requirement.type !== "node" || !requirement.selector.matches(node.labels)) return;
  allocator.allocate(key, { node: node.name, selector: requirement.selector });
}
