// RuntimeClass: container runtime of a pod on its node, with its overhead.

import { equalJson, objectAt, objectsAt } from "../../apimachinery/json/json.ts";
import { duplicateStruct } from "../../apiserver/registry/strategy/checks.ts";
import { AGE, column, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { structOf } from "../../apiserver/registry/strategy/internal-struct.ts";
import { type CodeRules, objectOf, type Place } from "../../apiserver/registry/strategy/schema-rules.ts";
import { validateResources } from "../core/amounts.ts";
import { PLACEMENT_RULES } from "../core/pod/placement.ts";
import { labelKeyWarnings } from "../core/pod/warnings.ts";

const TOLERATION = "io.k8s.api.core.v1.Toleration";

/** Duplicate tolerations. */
const sameTolerations = ({ field, owner }: Place) => {
  const tolerations = objectsAt(owner, "tolerations");
  return tolerations.flatMap((toleration, index) =>
    tolerations.slice(0, index).some((other) => equalJson(other, toleration))
      ? [duplicateStruct(`${field}.tolerations[${index}]`, structOf(TOLERATION, toleration))]
      : [],
  );
};

const rules: CodeRules = {
  ...PLACEMENT_RULES,
  /** Validated like the limits of a container. */
  overhead: ({ field, value }) => validateResources(field, { limits: objectOf(value) }),
  tolerations: sameTolerations,
};

export const runtimeClasses = builtIn("node.k8s.io/v1", "RuntimeClass", {
  namespaceScoped: false,
  columns: [NAME, column("Handler", "Name by which nodes know how to run it.", "handler"), AGE],
  strategy: {
    metadataChecksOnUpdate: ["new", "changed"],
    allowCreateOnUpdate: true,
    warnings: (object) =>
      labelKeyWarnings(
        objectAt(objectAt(object, "scheduling"), "nodeSelector"),
        () => "scheduling.nodeSelector",
      ),
  },
  rules,
});
