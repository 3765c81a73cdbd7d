// What the kinds that make pods from a template have in common.
import { type FieldError, forbidden, invalid, notSupported, required } from "../../meta/field-error.ts";
import { equalJson, type JsonObject, numberAt, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { ScaleSubresource } from "../../registry/definition/resource-definition.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { wideColumn } from "../columns.ts";
import { nameWarnings, templateWarnings } from "../core/pod/warnings.ts";
import { isEmptySelector, selectorOrNone, textMap, validateLabelSelector } from "../label-selectors.ts";

/** The selector is an object here, not a text. */
export const SCALE: ScaleSubresource = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".spec.selector",
};

export const specOf = (object: Readonly<JsonObject>): JsonObject => objectAt(object, "spec") ?? {};
export const templateOf = (object: Readonly<JsonObject>): JsonObject =>
  objectAt(specOf(object), "template") ?? {};

/** Controllers keep the status; the object's own endpoint leaves it alone. A new object has the given one. */
export function keepsStatus(initial: JsonObject): Strategy {
  return {
    hasGeneration: true,
    allowUnconditionalUpdate: true,
    resetFields: [["status"]],
    prepareForCreate(object) {
      object["status"] = { ...initial };
    },
    prepareForUpdate(object, old) {
      object["status"] = old["status"];
    },
  };
}

/** /status leaves the spec alone. */
export const KEEPS_SPEC: Strategy = {
  allowUnconditionalUpdate: true,
  resetFields: [["spec"]],
  prepareForUpdate(object, old) {
    object["spec"] = old["spec"];
  },
};

/** It must be there and select something. */
export function validateSelector(spec: JsonObject, kind: string): FieldError[] {
  const selector = objectAt(spec, "selector");
  if (selector === undefined) return [required("spec.selector")];
  const errors = validateLabelSelector("spec.selector", selector);
  if (isEmptySelector(selector)) {
    errors.push(invalid("spec.selector", selector, `empty selector is invalid for ${kind}`));
  }
  return errors;
}

/** The pods that are made must be among those that are selected. */
export function validateSelected(spec: JsonObject, invalidSelector = "invalid label selector"): FieldError[] {
  const selector = objectAt(spec, "selector");
  const labels = objectAt(objectAt(objectAt(spec, "template"), "metadata"), "labels");
  const parsed = selectorOrNone(selector);
  if (parsed === undefined) return [invalid("spec.selector", selector, invalidSelector)];
  if (parsed.isEmpty || parsed.matches(textMap(labels))) return [];
  const rule = "`selector` does not match template `labels`";
  return [invalid("spec.template.metadata.labels", labels, rule)];
}

/** Pods of workloads run for ever. */
export function validateEndless(spec: JsonObject, kind: string): FieldError[] {
  const pod = objectAt(objectAt(spec, "template"), "spec");
  const field = "spec.template.spec";
  const policy = textAt(pod, "restartPolicy");
  const errors: FieldError[] = [];
  if (policy !== "Always") errors.push(notSupported(`${field}.restartPolicy`, policy, ["Always"]));
  if (numberAt(pod, "activeDeadlineSeconds") !== undefined) {
    const rule = `activeDeadlineSeconds in ${kind} is not Supported`;
    errors.push(forbidden(`${field}.activeDeadlineSeconds`, rule));
  }
  return errors;
}

/** Of these counts none may be greater than all pods that there are. */
export function validateParts(status: JsonObject | undefined, parts: readonly string[]): FieldError[] {
  const all = numberAt(status, "replicas") ?? 0;
  return parts.flatMap((part) => {
    const count = numberAt(status, part) ?? 0;
    return count > all ? [invalid(`status.${part}`, count, "cannot be greater than status.replicas")] : [];
  });
}

/** What is available is ready too. */
export function validateAvailable(status: JsonObject | undefined, shownReady: string): FieldError[] {
  const available = numberAt(status, "availableReplicas") ?? 0;
  if (available <= (numberAt(status, "readyReplicas") ?? 0)) return [];
  return [invalid("status.availableReplicas", available, `cannot be greater than ${shownReady}`)];
}

/** Names of revisions that were taken are never taken back. */
export function validateCollisions(object: Readonly<JsonObject>, old: Readonly<JsonObject>): FieldError[] {
  const [count, before] = [object, old].map((item) => numberAt(objectAt(item, "status"), "collisionCount"));
  if (before === undefined || (count ?? 0) >= before) return [];
  return [invalid("status.collisionCount", count ?? 0, "cannot be decremented")];
}

/** Of the template; on update only when the object's generation has changed. */
export function workloadWarnings(
  object: Readonly<KubeObject>,
  old: Readonly<KubeObject> | undefined,
  namesPods: boolean,
): string[] {
  if (old !== undefined && old.metadata.generation === object.metadata.generation) return [];
  return [
    ...(namesPods && old === undefined ? nameWarnings(object, "Pod names and hostnames") : []),
    ...templateWarnings("spec.template", templateOf(object)),
  ];
}

export const CONTAINER_COLUMNS = [
  wideColumn("Containers", "Names of the containers."),
  wideColumn("Images", "Images of the containers."),
];

/** The cells behind CONTAINER_COLUMNS. */
export function containerCells(object: Readonly<JsonObject>): string[] {
  const containers = objectsAt(objectAt(templateOf(object), "spec"), "containers");
  return ["name", "image"].map((key) => containers.map((container) => textAt(container, key)).join(","));
}

export const count = (source: JsonObject | undefined, key: string): number => numberAt(source, key) ?? 0;

export const templateChanged = (object: Readonly<JsonObject>, old: Readonly<JsonObject>): boolean =>
  !equalJson(templateOf(object), templateOf(old));
