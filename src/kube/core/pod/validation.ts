// Validation of a Pod at creation and update: nearly all of the spec is immutable.

import {
  equalJson,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from "../../../apimachinery/json/json.ts";
import { encodeJson } from "../../../apimachinery/json/json-encode.ts";
import { type FieldError, forbidden, invalid, required } from "../../../apimachinery/meta/field-error.ts";
import { carryNotes } from "../../../apimachinery/meta/given-empty.ts";
import { append } from "../../../apimachinery/meta/lists.ts";
import { hasAtMost } from "../../../apimachinery/schema/value/check-work.ts";
import type { Workers } from "../../../apimachinery/workers/job.ts";
import { eachAt, nameOf, specOf } from "../../../apiserver/registry/strategy/fields.ts";
import { validateKeptAnnotations, validatePodAnnotations } from "./annotations.ts";
import { validateImage } from "./containers.ts";
import { isGated, validateGatedChange, withNodeAffinityOf } from "./gated.ts";
import { validateTolerations } from "./placement.ts";
import { validatePodSpec } from "./spec-validation.ts";
import { type SpecChange, showChange, showChangeElsewhere } from "./update/show-change.ts";

const MAY_CHANGE =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/** Rules of a Pod, in addition to those of a template. */
export function validatePod(object: Readonly<JsonObject>): FieldError[] {
  const spec = specOf(object);
  return [
    ...validatePodAnnotations("metadata", object),
    ...validatePodSpec("spec", spec, nameOf(object)),
    ...validateTokens(spec),
    ...["containers", "initContainers"].flatMap((list) => eachAt("spec", spec, list, validateImage)),
  ];
}

/** A token volume needs a service account. */
function validateTokens(spec: JsonObject): FieldError[] {
  if (textAt(spec, "serviceAccountName") !== "") return [];
  return eachAt("spec", spec, "volumes", (place, volume) =>
    eachAt(`${place}.projected`, objectAt(volume, "projected"), "sources", (at, source) => {
      const rule = "must not be specified when serviceAccountName is not set";
      return objectAt(source, "serviceAccountToken") ? [forbidden(`${at}.serviceAccountToken`, rule)] : [];
    }),
  );
}

/** A new pod has no ephemeral containers, and no node while it has scheduling gates. */
export function validateNewPod(object: Readonly<JsonObject>): FieldError[] {
  const spec = specOf(object);
  const early = objectsAt(spec, "ephemeralContainers").length > 0;
  const isGated = textAt(spec, "nodeName") !== "" && objectsAt(spec, "schedulingGates").length > 0;
  return [
    ...validatePod(object),
    ...(early ? [forbidden("spec.ephemeralContainers", "cannot be set on create")] : []),
    ...(isGated
      ? [forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared")]
      : []),
  ];
}

export function validatePodUpdate(object: Readonly<JsonObject>, old: Readonly<JsonObject>): FieldError[] {
  const { errors, change } = checkUpdate(object, old);
  return change === undefined ? errors : [...errors, refusedChange(showChange(change))];
}

/** Specs with more parts are compared in a worker thread. */
const PARTS_MAX = 5000;

/** The same with a worker thread; undefined: none is needed. Rejects with 413, 429 and 504. */
export function validatePodElsewhere(
  object: Readonly<JsonObject>,
  old: Readonly<JsonObject> | undefined,
  workers: Workers,
): Promise<FieldError[]> | undefined {
  if (old === undefined || hasAtMost(PARTS_MAX, [object["spec"], old["spec"]])) return undefined;
  const { errors, change } = checkUpdate(object, old);
  if (change === undefined) return Promise.resolve(errors);
  return showChangeElsewhere(change, workers).then((shown) => [...errors, refusedChange(shown)]);
}

const refusedChange = (shown: string): FieldError => forbidden("spec", MAY_CHANGE + shown);

interface UpdateCheck {
  readonly errors: FieldError[];
  /** A change of immutable fields. */
  readonly change?: SpecChange;
}

function checkUpdate(object: Readonly<JsonObject>, old: Readonly<JsonObject>): UpdateCheck {
  const spec = specOf(object);
  const oldSpec = specOf(old);
  const errors = [...validatePod(object), ...validateKeptAnnotations(object, old)];
  for (const list of ["containers", "initContainers"]) {
    if (objectsAt(spec, list).length !== objectsAt(oldSpec, list).length) {
      const rule = "pod updates may not add or remove containers";
      return { errors: [...errors, forbidden(`spec.${list}`, rule)] };
    }
    append(errors, eachAt("spec", spec, list, validateNewImage));
  }
  const ofDeadline = validateDeadline(spec, oldSpec);
  append(errors, ofDeadline);
  if (ofDeadline.length > 0 && spec["activeDeadlineSeconds"] !== undefined) return { errors };
  append(
    errors,
    validateKeptTolerations(spec, oldSpec),
    validateGates(spec, oldSpec),
    isGated(oldSpec) ? validateGatedChange(spec, oldSpec) : [],
  );
  const changed = withoutAllowedChanges(spec, oldSpec);
  return equalJson(changed, oldSpec) ? { errors } : { errors, change: { before: oldSpec, after: changed } };
}

const validateNewImage = (place: string, container: JsonObject): FieldError[] => [
  ...(textAt(container, "image") === "" ? [required(`${place}.image`)] : []),
  ...validateImage(place, container),
];

const DEADLINE_MAX = 2 ** 31 - 1;

function validateDeadline(spec: JsonObject, oldSpec: JsonObject): FieldError[] {
  const before = numberAt(oldSpec, "activeDeadlineSeconds");
  const after = numberAt(spec, "activeDeadlineSeconds");
  const field = "spec.activeDeadlineSeconds";
  if (after === undefined) {
    return before === undefined
      ? []
      : [invalid(field, null, "must not update from a positive integer to nil value")];
  }
  if (after < 0 || after > DEADLINE_MAX)
    return [invalid(field, after, `must be between 0 and ${DEADLINE_MAX}, inclusive`)];
  return before !== undefined && after > before
    ? [invalid(field, after, "must be less than or equal to previous value")]
    : [];
}

/** Tolerations can be added; existing ones are immutable except for tolerationSeconds. */
function validateKeptTolerations(spec: JsonObject, oldSpec: JsonObject): FieldError[] {
  const textOf = (toleration: JsonObject) => encodeJson({ ...toleration, tolerationSeconds: undefined });
  const tolerations = new Set(objectsAt(spec, "tolerations").map(textOf));
  const kept = objectsAt(oldSpec, "tolerations").every((toleration) => tolerations.has(textOf(toleration)));
  if (kept) return validateTolerations("spec.tolerations", objectsAt(spec, "tolerations"));
  const rule = "existing toleration can not be modified except its tolerationSeconds";
  return [forbidden("spec.tolerations", rule)];
}

function validateGates(spec: JsonObject, oldSpec: JsonObject): FieldError[] {
  const before = new Set(objectsAt(oldSpec, "schedulingGates").map((gate) => textAt(gate, "name")));
  return eachAt("spec", spec, "schedulingGates", (place, gate) => {
    const name = textAt(gate, "name");
    if (before.has(name)) return [];
    return [forbidden(`${place}.name`, `only deletion is allowed, but found new scheduling gate '${name}'`)];
  });
}

/** The new spec with the old values of fields that an update may change, or whose changes are reported separately. */
function withoutAllowedChanges(spec: JsonObject, oldSpec: JsonObject): JsonObject {
  const rest = copyOf(spec);
  const restore = (member: string): void => {
    rest[member] = oldSpec[member];
  };
  ["activeDeadlineSeconds", "tolerations", "schedulingGates"].forEach(restore);
  const grace = numberAt(oldSpec, "terminationGracePeriodSeconds") ?? 0;
  if (grace < 0 && numberAt(rest, "terminationGracePeriodSeconds") === 1) {
    restore("terminationGracePeriodSeconds");
  }
  if (isGated(oldSpec)) {
    restore("nodeSelector");
    rest["affinity"] = withNodeAffinityOf(objectAt(oldSpec, "affinity"), objectAt(rest, "affinity"));
  }
  for (const list of ["containers", "initContainers"]) {
    if (spec[list] === undefined) continue;
    const before = objectsAt(oldSpec, list);
    rest[list] = objectsAt(spec, list).map((container, index) =>
      Object.assign(copyOf(container), { image: before[index]?.["image"] }),
    );
  }
  return rest;
}

/** Preserves the record of members that were sent as empty. */
function copyOf(source: JsonObject): JsonObject {
  const copy = { ...source };
  carryNotes(source, copy);
  return copy;
}
