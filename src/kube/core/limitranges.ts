// LimitRange: limits for single objects of a namespace. They are enforced by kube/admission/limit-ranger.ts.

import { quantityNanos } from "../../apimachinery/go/quantity.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  repeated,
  required,
} from "../../apimachinery/meta/field-error.ts";
import { append } from "../../apimachinery/meta/lists.ts";
import { isQualifiedName } from "../../apimachinery/meta/names.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { formErrors } from "../../apiserver/registry/strategy/checks.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { eachAt, ensureObject } from "../../apiserver/registry/strategy/fields.ts";
import { mayBeOvercommitted, validateContainerResourceName, validateResourceName } from "./amounts.ts";

/** Default limit of containers is the maximum. Default request is the default limit, else the minimum. */
function applyDefaults(object: KubeObject): void {
  for (const item of objectsAt(objectAt(object, "spec"), "limits")) {
    if (textAt(item, "type") !== "Container") continue;
    fillIn(item, "default", "max");
    fillIn(item, "defaultRequest", "default");
    fillIn(item, "defaultRequest", "min");
  }
}

/** Copies resources from `source` that `target` lacks. */
function fillIn(item: JsonObject, target: string, source: string): void {
  const amounts = objectAt(item, source) ?? {};
  if (Object.keys(amounts).length > 0) item[target] = { ...amounts, ...objectAt(item, target) };
}

const STANDARD_TYPES = ["Pod", "Container", "PersistentVolumeClaim"];
const NOT_FOR_PODS = "may not be specified when `type` is 'Pod'";
const NEEDS_STORAGE = "either minimum or maximum storage value is required, but neither was provided";
const ONE = 1_000_000_000n;

function validateLimits(object: Readonly<JsonObject>): FieldError[] {
  const seen = new Set<string>();
  return eachAt("spec", objectAt(object, "spec"), "limits", (field, item) => {
    const type = textAt(item, "type");
    return [
      ...formErrors(isLimitType, `${field}.type`, type),
      ...repeated(seen, `${field}.type`, type),
      ...validateItem(field, item, type),
    ];
  });
}

function isLimitType(type: string): string[] {
  const complaints = isQualifiedName(type);
  if (complaints.length === 0 && !type.includes("/") && !STANDARD_TYPES.includes(type)) {
    complaints.push("must be a standard limit type or fully qualified");
  }
  return complaints;
}

function validateItem(field: string, item: JsonObject, type: string): FieldError[] {
  const errors: FieldError[] = [];
  const ofPod = type === "Pod";
  const names = new Set<string>();
  const takeNames = (member: string) => {
    for (const name of Object.keys(objectAt(item, member) ?? {})) {
      const place = `${field}.${member}[${name}]`;
      const ofContainers = ofPod || type === "Container";
      append(errors, (ofContainers ? validateContainerResourceName : validateResourceName)(place, name));
      names.add(name);
    }
  };
  takeNames("max");
  takeNames("min");
  for (const member of ["default", "defaultRequest"]) {
    if (!ofPod) takeNames(member);
    else if (Object.keys(objectAt(item, member) ?? {}).length > 0)
      errors.push(forbidden(`${field}.${member}`, NOT_FOR_PODS));
  }
  const storage = textAt(objectAt(item, "min"), "storage") || textAt(objectAt(item, "max"), "storage");
  if (type === "PersistentVolumeClaim" && storage === "")
    errors.push(required(`${field}.limits`, NEEDS_STORAGE));
  takeNames("maxLimitRequestRatio");
  for (const name of names) append(errors, validateAmounts(field, item, name, ofPod));
  return errors;
}

/** Whether the first quantity is greater; false if one is absent. */
const exceeds = (amount: string, other: string): boolean =>
  amount !== "" && other !== "" && quantityNanos(amount) > quantityNanos(other);

function validateAmounts(field: string, item: JsonObject, name: string, ofPod: boolean): FieldError[] {
  const amountOf = (member: string) => textAt(objectAt(item, member), name);
  const [min, max, ratio] = [amountOf("min"), amountOf("max"), amountOf("maxLimitRequestRatio")];
  const limit = ofPod ? "" : amountOf("default");
  const request = ofPod ? "" : amountOf("defaultRequest");
  const errors: FieldError[] = [];
  const complain = (member: string, amount: string, text: string) =>
    errors.push(invalid(`${field}.${member}[${name}]`, amount, text));
  const compare = (member: string, shown: string, less: [string, string], more: [string, string]) => {
    if (!exceeds(less[1], more[1])) return;
    complain(member, shown, `${less[0]} value ${less[1]} is greater than ${more[0]} value ${more[1]}`);
  };
  compare("min", min, ["min", min], ["max", max]);
  compare("defaultRequest", request, ["min", min], ["default request", request]);
  compare("defaultRequest", request, ["default request", request], ["max", max]);
  compare("defaultRequest", request, ["default request", request], ["default limit", limit]);
  compare("default", min, ["min", min], ["default", limit]);
  compare("default", max, ["default", limit], ["max", max]);
  for (const text of ratioComplaints(ratio, min, max)) complain("maxLimitRequestRatio", ratio, text);
  const differ = limit !== "" && request !== "" && quantityNanos(limit) !== quantityNanos(request);
  if (differ && !mayBeOvercommitted(name)) {
    const text = `default value ${limit} must equal to defaultRequest value ${request} in ${name}`;
    complain("defaultRequest", request, text);
  }
  return errors;
}

function ratioComplaints(ratio: string, min: string, max: string): string[] {
  if (ratio === "") return [];
  const complaints: string[] = [];
  if (quantityNanos(ratio) < ONE) complaints.push(`ratio ${ratio} is less than 1`);
  if (min === "" || max === "") return complaints;
  const greatest = Number(quantityNanos(max)) / Number(quantityNanos(min));
  if (Number(quantityNanos(ratio)) / Number(ONE) > greatest)
    complaints.push(`ratio ${ratio} is greater than max/min = ${greatest.toFixed(6)}`);
  return complaints;
}

export const limitRanges = builtIn("v1", "LimitRange", {
  shortNames: ["limits"],
  strategy: {
    metadataChecksOnUpdate: ["new"],
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: true,
    applyDefaults,
    prepareForCreate(object, context) {
      if ((object.metadata.name ?? "") === "") object.metadata.name = context.ids.uid();
      ensureObject(object, "spec");
    },
    prepareForUpdate: (object) => void ensureObject(object, "spec"),
    emptyListsStoredAsNull: [["spec", "limits"]],
    validate: validateLimits,
    validateUpdate: validateLimits,
  },
});
