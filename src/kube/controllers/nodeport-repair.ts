// Repairs the node port allocations from the Services. A port of a Service without an allocation is allocated. Ports
// out of range and duplicates are reported by Events. An allocation without a Service is released only after SIGHTINGS
// consecutive runs: another server may allocate a port shortly before it writes the Service.
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { byName, SERVICES, subjectOf } from "../../controller/api.ts";
import { defineController } from "../../controller/define-controller.ts";
import type { Kit, NodePorts } from "../../controller/definition.ts";

const EVERYTHING = "*";
/** As in kube-apiserver. */
const REPAIR_MS = 180_000;
const SIGHTINGS = 3;

export const nodePortRepair = defineController({
  name: "nodeport-repair",
  summary: "node ports that are noted as taken are those of Services",
  fieldManager: "portallocator-repair-controller",
  events: "portallocator-repair-controller",
  ofServer: true,
  retry: { attemptsMax: Number.POSITIVE_INFINITY },
  watches: {},
  /** Port → number of consecutive runs in which it belonged to no Service. */
  memory: () => ({ sightings: new Map<number, number>() }),
  prepare: ({ nodePorts }) => (nodePorts === undefined ? [] : [EVERYTHING]),
  async reconcile(_, { nodePorts, client, memory, ...kit }) {
    if (nodePorts === undefined) return undefined;
    // The allocations are read before the Services, so the list covers each Service written before.
    const unowned = new Set(await nodePorts.taken());
    const { items } = await client.list(SERVICES, { withoutManagedFields: true });
    await noteOwned(items, unowned, { ...kit, nodePorts });
    memory.sightings = await freeUnowned(unowned, memory.sightings, { ...kit, nodePorts });
    return { requeueAfterMs: REPAIR_MS };
  },
});

type Repair = Pick<Kit, "recordEvent" | "log"> & { readonly nodePorts: NodePorts };

/** Removes the ports of Services from `unowned` and allocates those that lack an allocation. */
async function noteOwned(
  services: readonly KubeObject[],
  unowned: Set<number>,
  { nodePorts, recordEvent, log }: Repair,
): Promise<void> {
  const seen = new Set<number>();
  for (const service of [...services].sort(byName)) {
    const tell = (reason: string, message: string): void =>
      recordEvent({ subject: subjectOf(service), type: "Warning", reason, message }, EVERYTHING);
    for (const port of nodePorts.portsOf(service)) {
      if (!nodePorts.isInRange(port)) {
        tell(
          "PortOutOfRange",
          `Port ${port} is not within the port range ${nodePorts.range}; please recreate service`,
        );
        continue;
      }
      if (seen.has(port)) {
        tell(
          "PortAlreadyAllocated",
          `Port ${port} was assigned to multiple services; please recreate service`,
        );
        continue;
      }
      seen.add(port);
      if (unowned.delete(port) || !(await nodePorts.take(port, service))) continue;
      const { namespace, name } = service.metadata;
      log.warn("a node port of a Service was not noted as taken", { port, namespace, name });
      tell("PortNotAllocated", `Port ${port} is not allocated; repairing`);
    }
  }
}

/** Releases ports seen often enough. Returns the counts of the others. */
async function freeUnowned(
  unowned: ReadonlySet<number>,
  before: ReadonlyMap<number, number>,
  { nodePorts, log }: Repair,
): Promise<Map<number, number>> {
  const sightings = new Map<number, number>();
  for (const port of unowned) {
    const seen = (before.get(port) ?? 0) + 1;
    if (seen < SIGHTINGS) sightings.set(port, seen);
    else if (await nodePorts.giveBack(port))
      log.warn("a node port that no Service has is free again", { port });
  }
  return sightings;
}
