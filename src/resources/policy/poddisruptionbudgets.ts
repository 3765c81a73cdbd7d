// PodDisruptionBudget: how many pods of an application may be away at a time because somebody wants it so. Evictions honour
// it; what may go now, a controller says in the status.
import type { JsonObject } from "../../meta/json.ts";
import { isPathSegmentName } from "../../meta/names.ts";
import type { Strategy } from "../../registry/definition/resource-definition.ts";
import { invalidStruct } from "../checks.ts";
import { AGE, column, integerColumn, NAME } from "../columns.ts";
import { builtIn } from "../define.ts";
import { keeping, keepingStatus, specOf } from "../fields.ts";
import { structOf } from "../internal-struct.ts";
import type { CodeRules } from "../schema-rules.ts";

const rules: CodeRules = {
  both: ({ field, owner }) => [
    invalidStruct(
      field,
      structOf("io.k8s.api.policy.v1.PodDisruptionBudgetSpec", owner),
      "minAvailable and maxUnavailable cannot be both set",
    ),
  ],
};

/** Whoever writes must know what he changes, and the metadata is checked as that of all kinds alone. */
const common = { allowUnconditionalUpdate: false, metadataChecksOnUpdate: [] } satisfies Strategy;

const amountCell = (member: string) => (object: Readonly<JsonObject>) =>
  String(specOf(object)[member] ?? "N/A");

export const podDisruptionBudgets = builtIn("policy/v1", "PodDisruptionBudget", {
  shortNames: ["pdb"],
  columns: [
    NAME,
    column("Min Available", "Pods that must stay.", amountCell("minAvailable")),
    column("Max Unavailable", "Pods that may be away.", amountCell("maxUnavailable")),
    integerColumn("Allowed Disruptions", "Pods that may go now.", "status.disruptionsAllowed"),
    AGE,
  ],
  strategy: {
    hasGeneration: true,
    ...keepingStatus({ disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }),
    ...common,
    validateName: isPathSegmentName,
  },
  status: { ...keeping("spec"), ...common },
  rules,
  ownedFinalizers: false,
});
