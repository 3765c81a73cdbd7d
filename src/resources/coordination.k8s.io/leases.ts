// Lease: who holds something, and for how long.
import { type FieldError, forbidden } from "../../meta/field-error.ts";
import { type JsonObject, objectAt, textAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { AGE, column, NAME, timeSince } from "../columns.ts";
import { builtIn } from "../define.ts";
import { type CodeRules, schemaErrors } from "../schema-rules.ts";

const validate = (object: Readonly<JsonObject>): FieldError[] =>
  schemaErrors("io.k8s.api.coordination.v1.LeaseSpec", objectAt(object, "spec") ?? {}, {
    field: "spec",
    code,
  });

const code: CodeRules = {
  preferredHolder: ({ field, value, owner }) =>
    value !== "" && textAt(owner, "strategy") === ""
      ? [forbidden(field, "may only be specified if `strategy` is defined")]
      : [],
};

/** For servers that elect a leader among them, which a real server does not do unless it is told to. */
const OF_ELECTIONS = ["strategy", "preferredHolder"];

/** They are dropped, unless the object has them already. */
function dropElections(object: KubeObject, old?: Readonly<KubeObject>): void {
  const spec = objectAt(object, "spec");
  for (const member of OF_ELECTIONS) {
    if (objectAt(old, "spec")?.[member] === undefined) delete spec?.[member];
  }
}

const strategy: Strategy = {
  allowCreateOnUpdate: true,
  prepareForCreate: (object) => dropElections(object),
  prepareForUpdate: (object, old) => dropElections(object, old),
  validate,
  validateUpdate: validate,
};

export const leases = builtIn("coordination.k8s.io/v1", "Lease", {
  columns: [NAME, column("Holder", "Name of the present holder."), AGE],
  printRow(object, nowMs) {
    const metadata = objectAt(object, "metadata");
    return {
      cells: [
        textAt(metadata, "name"),
        textAt(objectAt(object, "spec"), "holderIdentity"),
        timeSince(metadata, "creationTimestamp", nowMs),
      ],
    };
  },
  strategy,
});
