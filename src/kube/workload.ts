// Shared parts of kinds with a pod template.

import {
  equalJson,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from "../apimachinery/json/json.ts";
import { type FieldError, forbidden, invalid, notSupported } from "../apimachinery/meta/field-error.ts";
import { wasGivenEmpty } from "../apimachinery/meta/given-empty.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import type { ScaleSubresource, Strategy } from "../apiserver/registry/definition/resource-definition.ts";
import { invalidTyped } from "../apiserver/registry/strategy/checks.ts";
import { AGE, column, integerColumn, NAME, wideColumn } from "../apiserver/registry/strategy/columns.ts";
import { keeping, keepingStatus, specOf } from "../apiserver/registry/strategy/fields.ts";
import {
  formatLabelSelector,
  isEmptySelector,
  selectorOrNone,
  textMap,
} from "../apiserver/registry/strategy/label-selectors.ts";
import { type CodeRules, objectOf } from "../apiserver/registry/strategy/schema-rules.ts";
import { applyPodSpecDefaults } from "./core/pod/defaults.ts";
import { validateTemplate, validateTemplateMetadata } from "./core/pod/spec-validation.ts";
import { nameWarnings, templateWarnings } from "./core/pod/warnings.ts";

/** The selector is an object here, not a text. */
export const SCALE: ScaleSubresource = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".spec.selector",
};

export const templateOf = (object: Readonly<JsonObject>): JsonObject =>
  objectAt(specOf(object), "template") ?? {};

export const templateChanged = (object: Readonly<JsonObject>, old: Readonly<JsonObject>): boolean =>
  !equalJson(templateOf(object), templateOf(old));

/** Labels of the template's pods. */
export const podLabels = (template: JsonObject | undefined): JsonObject | undefined =>
  objectAt(objectAt(template, "metadata"), "labels");

/** The same, as errors show them: an empty map differs from an absent one. */
export function givenPodLabels(template: JsonObject | undefined): JsonObject | undefined {
  const metadata = objectAt(template, "metadata");
  return objectAt(metadata, "labels") ?? (wasGivenEmpty(metadata, "labels") ? {} : undefined);
}

/** An object without labels gets those of its pod template. */
export function takePodLabels(object: KubeObject): void {
  const labels = podLabels(templateOf(object));
  if (labels && Object.keys(object.metadata.labels ?? {}).length === 0) {
    object.metadata.labels = textMap(labels);
  }
}

export const count = (source: JsonObject | undefined, key: string): number => numberAt(source, key) ?? 0;

/** A new object gets this status. */
export const workloadStrategy = (status: JsonObject) =>
  ({
    hasGeneration: true,
    ...keepingStatus(status),
    applyDefaults: (object: KubeObject) => applyPodSpecDefaults(specOf(templateOf(object))),
  }) satisfies Strategy;

/** The update strategy as a Go struct. */
export function shownStrategy({ type, rollingUpdate }: JsonObject): JsonObject {
  const { maxUnavailable, maxSurge } = objectOf(rollingUpdate);
  const shown = { MaxUnavailable: maxUnavailable ?? 0, MaxSurge: maxSurge ?? 0 };
  return { Type: type ?? "", RollingUpdate: rollingUpdate ? shown : null };
}

const LABEL_SELECTOR = "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector";

/** Texts of messages that differ between kinds. */
interface Words {
  readonly inSelector: string;
  readonly inPods: string;
  /** Error for an invalid selector; undefined: an earlier rule reported it. */
  readonly notUnderstood?: string;
}

interface TemplateChecks extends Words {
  /** The restart policy of the template is validated even if the selector is invalid. */
  readonly isEndlessAnyhow?: boolean;
  /** Labels and annotations of the template are validated twice, as upstream. */
  readonly looksTwice?: boolean;
  /** The template with additional volumes of its pods. */
  readonly withVolumes?: (template: JsonObject, spec: JsonObject) => JsonObject;
}

const templateIn = (spec: JsonObject): JsonObject => objectAt(spec, "template") ?? {};

export const workloadRules = ({
  inSelector,
  inPods,
  notUnderstood,
  isEndlessAnyhow = false,
  looksTwice = false,
  withVolumes = (template) => template,
}: TemplateChecks) =>
  ({
    notEmpty({ field, owner }) {
      const selector = objectAt(owner, "selector");
      if (selector === undefined || !isEmptySelector(selector)) return [];
      return [invalid(`${field}.selector`, selector, `empty selector is invalid for ${inSelector}`)];
    },
    selected: ({ field, owner }) => validateSelected(field, owner, notUnderstood),
    template({ field, owner }) {
      const template = templateIn(owner);
      const place = `${field}.template`;
      const endless = validateEndless(place, template, inPods);
      const isUnderstood = notUnderstood === undefined || selectorOrNone(objectAt(owner, "selector"));
      if (!isUnderstood) return isEndlessAnyhow ? endless : [];
      return [
        ...(looksTwice ? validateTemplateMetadata(place, template) : []),
        ...validateTemplate(place, withVolumes(template, owner)),
        ...endless,
      ];
    },
    /** collisionCount never decreases. */
    collisions({ field, owner, old }) {
      const [taken, before] = [count(owner, "collisionCount"), numberAt(old, "collisionCount")];
      if (before === undefined || taken >= before) return [];
      return [invalid(`${field}.collisionCount`, taken, "cannot be decremented")];
    },
  }) satisfies CodeRules;

/** The selector must match the labels of the template. */
function validateSelected(field: string, spec: JsonObject, notUnderstood: string | undefined): FieldError[] {
  const selector = objectAt(spec, "selector");
  const labels = givenPodLabels(templateIn(spec));
  const parsed = selectorOrNone(selector);
  if (parsed === undefined) {
    return notUnderstood === undefined
      ? []
      : [invalidTyped(LABEL_SELECTOR, `${field}.selector`, selector ?? {}, notUnderstood)];
  }
  return parsed.isEmpty || parsed.matches(textMap(labels)) ? [] : [notSelected(field, labels)];
}

/** Error at the spec's field. */
export const notSelected = (field: string, labels: JsonObject | undefined): FieldError =>
  invalid(`${field}.template.metadata.labels`, labels, "`selector` does not match template `labels`");

/** Pods of workloads need restartPolicy Always. */
function validateEndless(field: string, template: JsonObject, kind: string): FieldError[] {
  const pod = objectAt(template, "spec");
  const policy = textAt(pod, "restartPolicy");
  const errors: FieldError[] = [];
  if (policy !== "Always") errors.push(notSupported(`${field}.spec.restartPolicy`, policy, ["Always"]));
  if (numberAt(pod, "activeDeadlineSeconds") !== undefined) {
    const rule = `activeDeadlineSeconds in ${kind} is not Supported`;
    errors.push(forbidden(`${field}.spec.activeDeadlineSeconds`, rule));
  }
  return errors;
}

interface Warned {
  /** The object's name becomes part of its pods' names. */
  readonly namesPods?: boolean;
  readonly ofKind?: readonly string[];
  readonly field?: string;
  readonly template?: JsonObject;
}

/** Warnings of the template, after those of the kind; on update only when the object's generation has changed. */
export function workloadWarnings(
  object: Readonly<KubeObject>,
  old: Readonly<KubeObject> | undefined,
  { namesPods = false, ofKind = [], field = "spec.template", template = templateOf(object) }: Warned = {},
): string[] {
  if (old !== undefined && old.metadata.generation === object.metadata.generation) return [];
  return [
    ...(namesPods && old === undefined ? nameWarnings(object, "Pod names and hostnames") : []),
    ...ofKind,
    ...templateWarnings(field, template),
  ];
}

/** All texts at the key of the template's containers. */
export const containerTexts = (template: JsonObject | undefined, key: string): string =>
  objectsAt(objectAt(template, "spec"), "containers")
    .map((container) => textAt(container, key))
    .join(",");

type PartReader = (object: Readonly<JsonObject>) => JsonObject;

export const containerColumns = (templateIn: PartReader) => [
  wideColumn("Containers", "Names of the containers.", (object) =>
    containerTexts(templateIn(object), "name"),
  ),
  wideColumn("Images", "Images of the containers.", (object) => containerTexts(templateIn(object), "image")),
];

export const CONTAINER_COLUMNS = containerColumns(templateOf);

/** Column of the selector in a spec. */
export const selectorColumn = (specIn: PartReader) =>
  wideColumn("Selector", "Labels of the pods.", (object) =>
    formatLabelSelector(objectAt(specIn(object), "selector") ?? {}),
  );

export const SELECTOR_COLUMN = selectorColumn(specOf);

// Shared parts of ReplicaSet and ReplicationController, whose selectors differ.

export const REPLICA_KIND = {
  categories: ["all"],
  status: keeping("spec"),
  scale: SCALE,
  selectableFields: ["status.replicas"],
  fieldValue: (object: Readonly<JsonObject>) => String(count(objectAt(object, "status"), "replicas")),
};

export const REPLICA_COLUMNS = [
  NAME,
  integerColumn("Desired", "Pods that are wanted.", "spec.replicas"),
  integerColumn("Current", "Pods that there are.", "status.replicas"),
  integerColumn("Ready", "Pods that are ready.", "status.readyReplicas"),
  AGE,
  ...CONTAINER_COLUMNS,
];

export const READY_COLUMN = column("Ready", "Ready pods of those that are wanted.", (object) => {
  return `${count(objectAt(object, "status"), "readyReplicas")}/${count(specOf(object), "replicas")}`;
});
