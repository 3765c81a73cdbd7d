// The template from which a workload makes its pods.
import { type FieldError, forbidden } from "../../../meta/field-error.ts";
import { type JsonObject, objectAt, objectsAt } from "../../../meta/json.ts";
import { validateAnnotations, validateLabels } from "../../../meta/names.ts";
import { ensureObject } from "../../fields.ts";
import { textMap } from "../../label-selectors.ts";
import { applyPodSpecDefaults } from "./defaults.ts";
import { validatePodSpec } from "./spec-validation.ts";

export function applyTemplateDefaults(owner: JsonObject): void {
  applyPodSpecDefaults(ensureObject(ensureObject(owner, "template"), "spec"));
}

export function validateTemplate(field: string, template: JsonObject): FieldError[] {
  const spec = objectAt(template, "spec") ?? {};
  const ephemeral = objectsAt(spec, "ephemeralContainers").length > 0;
  const rule = "ephemeral containers not allowed in pod template";
  return [
    ...validateTemplateMetadata(field, template),
    ...validatePodSpec(`${field}.spec`, spec, false),
    ...(ephemeral ? [forbidden(`${field}.spec.ephemeralContainers`, rule)] : []),
  ];
}

export function validateTemplateMetadata(field: string, template: JsonObject): FieldError[] {
  const metadata = objectAt(template, "metadata");
  return [
    ...validateLabels(textMap(objectAt(metadata, "labels")), `${field}.labels`),
    ...validateAnnotations(textMap(objectAt(metadata, "annotations")), `${field}.annotations`),
  ];
}
