// At most one server runs controllers. The winner of an election first writes a key beside all objects. From that write up
// to the next one, only that server may write what controllers write. The timestamp in a write identifies the process that
// made it.

import { objectAt, textAt } from "../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { createStorageLayout } from "../../../src/apiserver/layout/storage-layout.ts";
import { parseWithoutRevision } from "../../../src/apiserver/registry/codec/object-codec.ts";
import { BUILT_IN_RESOURCES } from "../../../src/kube/index.ts";
import { ERA_MS } from "./cluster.ts";
import type { TrueEvent } from "./observer.ts";

const FENCE = "/egret/registry/controllers/leader";
const LEASE = "/registry/leases/kube-system/egret-controller-manager";
/** The decisions of controllers in this test: the node of each EgressIP. */
const DECIDED = "/registry/k8s.ovn.org/egressips/";
const CONTROLLER = "ovnkube-cluster-manager";
const ELECTION = "egret";

export interface Terms {
  readonly findings: string[];
  /** The number of leader changes, and of the controllers' writes. */
  readonly terms: number;
  readonly writes: number;
}

export function checkControllers(events: readonly TrueEvent[]): Terms {
  const layout = createStorageLayout({ builtIn: BUILT_IN_RESOURCES });
  const read = ({ key, value = Buffer.of() }: TrueEvent) =>
    parseWithoutRevision({ key, value: layout.decode(key, value).value });
  const eras = new Map<string, number>();
  for (const event of events) {
    if (event.key !== LEASE || event.value === undefined) continue;
    const lease = read(event);
    const spec = objectAt(lease, "spec");
    const era = eraOf(lease, event, ELECTION);
    if (era !== undefined) eras.set(textAt(spec, "holderIdentity"), era);
  }
  const findings: string[] = [];
  let leader = "";
  let terms = 0;
  let writes = 0;
  for (const event of events) {
    if (event.key === FENCE) {
      leader = event.value?.toString() ?? "";
      terms++;
    }
    if (!event.key.startsWith(DECIDED) || event.value === undefined) continue;
    const era = eraOf(read(event), event, CONTROLLER);
    if (era === undefined) continue;
    writes++;
    if (era !== eras.get(leader))
      findings.push(
        `${event.key} at ${event.revision} is of start ${era}, and ${leader} of start ${eras.get(leader)} leads`,
      );
  }
  return { findings, terms, writes };
}

/** The start of a server in which this manager last wrote the object. */
function eraOf({ metadata }: KubeObject, { atMs }: TrueEvent, manager: string): number | undefined {
  const entry = metadata.managedFields?.find((one) => one.manager === manager);
  return entry?.time === undefined ? undefined : Math.round((Date.parse(entry.time) - atMs) / ERA_MS);
}
