// HorizontalPodAutoscaler: keeps the scale of another object in step with its load. Nobody here does that; the object
// is kept for those who do. v1 knows one metric, so that the rest of an object stands in annotations there.
import { type JsonObject, objectAt, objectsAt } from "../../meta/json.ts";
import { nameIsDnsSubdomain } from "../../meta/names.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { validateNotNegative } from "../checks.ts";
import { AGE, column, NAME } from "../columns.ts";
import { builtIn } from "../define.ts";
import { ensureObject } from "../fields.ts";
import { printAutoscaler } from "./row.ts";
import { fromV2, toV2, V1 } from "./v1-form.ts";
import { validateAutoscaler } from "./validation.ts";

const PERIOD_SECONDS = 15;
const SCALE_UP: JsonObject = {
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds: PERIOD_SECONDS },
    { type: "Percent", value: 100, periodSeconds: PERIOD_SECONDS },
  ],
};
const SCALE_DOWN: JsonObject = {
  selectPolicy: "Max",
  policies: [{ type: "Percent", value: 100, periodSeconds: PERIOD_SECONDS }],
};
/** What is measured where nothing is named. */
const CPU: JsonObject = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
};

function applyDefaults(object: KubeObject): void {
  const spec = ensureObject(object, "spec");
  spec["minReplicas"] ??= 1;
  if (objectsAt(spec, "metrics").length === 0) spec["metrics"] = [structuredClone(CPU)];
  const behavior = objectAt(spec, "behavior");
  if (behavior === undefined) return;
  behavior["scaleUp"] = { ...structuredClone(SCALE_UP), ...objectAt(behavior, "scaleUp") };
  behavior["scaleDown"] = { ...structuredClone(SCALE_DOWN), ...objectAt(behavior, "scaleDown") };
}

/** The strategies of one version; what is checked is always the form of v2. */
function strategies(
  emptyStatus: JsonObject,
  withDefaults: (object: KubeObject) => void,
  form: (object: Readonly<KubeObject>) => Readonly<KubeObject>,
): { readonly strategy: Strategy; readonly status: Strategy } {
  const strategy: Strategy = {
    allowUnconditionalUpdate: true,
    resetFields: [["status"]],
    validateName: nameIsDnsSubdomain,
    applyDefaults: withDefaults,
    prepareForCreate(object) {
      object["status"] = { ...emptyStatus };
    },
    prepareForUpdate(object, old) {
      object["status"] = old["status"];
    },
    validate: (object) => validateAutoscaler(form(object)),
    validateUpdate: (object, old) => validateAutoscaler(form(object), form(old)),
  };
  const status: Strategy = {
    allowUnconditionalUpdate: true,
    resetFields: [["spec"]],
    prepareForUpdate(object, old) {
      object["spec"] = old["spec"];
    },
    validateUpdate: (object) =>
      validateNotNegative("status", objectAt(object, "status"), ["currentReplicas", "desiredReplicas"]),
  };
  return { strategy, status };
}

export const horizontalPodAutoscalers = builtIn("autoscaling/v2", "HorizontalPodAutoscaler", {
  shortNames: ["hpa"],
  categories: ["all"],
  columns: [
    NAME,
    column("Reference", "The object whose scale is set."),
    column("Targets", "What is measured, and what it should be."),
    column("MinPods", "The fewest pods that are asked for."),
    column("MaxPods", "The most pods that are asked for."),
    column("Replicas", "Pods that there are."),
    AGE,
  ],
  printRow: (object, nowMs) => printAutoscaler(object["apiVersion"] === V1 ? toV2(object) : object, nowMs),
  ...strategies({ currentMetrics: null, desiredReplicas: 0 }, applyDefaults, (object) => object),
  olderVersions: {
    v1: {
      ...strategies(
        { currentReplicas: 0, desiredReplicas: 0 },
        (object) => {
          ensureObject(object, "spec")["minReplicas"] ??= 1;
        },
        toV2,
      ),
      storedForm: { toStored: toV2, fromStored: fromV2 },
    },
  },
});
