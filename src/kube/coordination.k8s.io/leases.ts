// Lease: the holder of a lock, and its duration.
import { objectAt } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { AGE, column, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";

/** For coordinated leader election, a feature gate that is off by default upstream. */
const OF_ELECTIONS = ["strategy", "preferredHolder"];

/** Dropped, unless the old object has them. */
function dropElections(object: KubeObject, old?: Readonly<KubeObject>): void {
  const spec = objectAt(object, "spec");
  for (const member of OF_ELECTIONS) {
    if (objectAt(old, "spec")?.[member] === undefined) delete spec?.[member];
  }
}

export const leases = builtIn("coordination.k8s.io/v1", "Lease", {
  columns: [NAME, column("Holder", "Name of the present holder.", "spec.holderIdentity"), AGE],
  strategy: {
    allowCreateOnUpdate: true,
    prepareForCreate: (object) => dropElections(object),
    prepareForUpdate: (object, old) => dropElections(object, old),
  },
});
