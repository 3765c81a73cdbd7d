// Why an EgressIP stands where it does, for the log: what was decided, and how each node stood at that moment.
import type { Logger } from "../../kit/logging.ts";
import type { EgressIp } from "../egress-ip.ts";
import type { NodeState } from "../node-state.ts";
import type { Allocator } from "./allocator.ts";
import type { Plan } from "./plan.ts";

export function explain(
  { debug }: Logger,
  allocator: Allocator,
  { name }: EgressIp,
  { kept, removed, freed, placed, said }: Plan,
): void {
  if (debug === undefined) return; // nobody reads it
  if ([removed, freed, placed, said].every(({ length }) => length === 0)) return; // all stays as it is
  debug("placed", {
    controller: "egressip",
    object: `egressips.k8s.ovn.org ${name}`,
    what: { kept, removed, freed, placed },
    why: {
      nodes: Object.fromEntries(allocator.nodes().map((node) => [node.name, standing(node)])),
      said: said.map(({ message }) => message),
    },
  });
}

/** "may host", or what keeps the node from it. */
function standing({ labelled, ready, reachable, known }: NodeState): string {
  const lacks = [
    ...(labelled ? [] : ["has no label k8s.ovn.org/egress-assignable"]),
    ...(ready ? [] : ["is not Ready"]),
    ...(reachable ? [] : ["is not reachable"]),
    ...(known ? [] : ["has not said its networks"]),
  ];
  return lacks.length === 0 ? "may host" : lacks.join(", ");
}
