// Lease: who holds something, and for how long.
import { objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { AGE, column, NAME } from "../columns.ts";
import { builtIn } from "../define.ts";

/** For servers that elect a leader among them, which a real server does not do unless it is told to. */
const OF_ELECTIONS = ["strategy", "preferredHolder"];

/** They are dropped, unless the object has them already. */
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
