// PodDisruptionBudget: limits voluntary disruptions of an application's pods. Evictions respect it; a controller computes
// the allowed disruptions in the status.
import type { JsonObject } from "../../apimachinery/json/json.ts";
import { isPathSegmentName } from "../../apimachinery/meta/names.ts";
import type { Strategy } from "../../apiserver/registry/definition/resource-definition.ts";
import { invalidStruct } from "../../apiserver/registry/strategy/checks.ts";
import { AGE, column, integerColumn, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { keeping, keepingStatus, specOf } from "../../apiserver/registry/strategy/fields.ts";
import { structOf } from "../../apiserver/registry/strategy/internal-struct.ts";
import type { CodeRules } from "../../apiserver/registry/strategy/schema-rules.ts";

const rules: CodeRules = {
  both: ({ field, owner }) => [
    invalidStruct(
      field,
      structOf("io.k8s.api.policy.v1.PodDisruptionBudgetSpec", owner),
      "minAvailable and maxUnavailable cannot be both set",
    ),
  ],
};

/** An update requires a resourceVersion, and its metadata is validated only by the generic rules. */
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
