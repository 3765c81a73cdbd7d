// PodTemplate: stores a pod template. No controller uses it.
import { type JsonObject, objectAt } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { Strategy } from "../../apiserver/registry/definition/resource-definition.ts";
import { column, formatLabels, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { specOf } from "../../apiserver/registry/strategy/fields.ts";
import { containerTexts, podLabels, workloadWarnings } from "../workload.ts";
import { applyPodSpecDefaults } from "./pod/defaults.ts";
import { validateTemplate } from "./pod/spec-validation.ts";

const templateOf = (object: Readonly<JsonObject>): JsonObject => objectAt(object, "template") ?? {};

const validate = (object: Readonly<KubeObject>) => validateTemplate("template", templateOf(object));

const strategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  applyDefaults: (object) => applyPodSpecDefaults(specOf(templateOf(object))),
  validate,
  validateUpdate: validate,
  warnings: (object, old) =>
    workloadWarnings(object, old, { field: "template", template: templateOf(object) }),
};

export const podTemplates = builtIn("v1", "PodTemplate", {
  columns: [
    NAME,
    column("Containers", "Names of the containers.", (object) => containerTexts(templateOf(object), "name")),
    column("Images", "Images of the containers.", (object) => containerTexts(templateOf(object), "image")),
    column("Pod Labels", "Labels of the pods.", (object) => formatLabels(podLabels(templateOf(object)))),
  ],
  strategy,
  returnsDeletedObject: true,
});
