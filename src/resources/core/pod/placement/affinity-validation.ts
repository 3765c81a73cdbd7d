// Which nodes a pod wants, and which pods it wants near it or far from it.

import { type FieldError, invalid, required } from "../../../../meta/field-error.ts";
import { type JsonObject, numberAt, objectAt, objectsAt, textAt, textsAt } from "../../../../meta/json.ts";
import { append } from "../../../../meta/lists.ts";
import { isDns1123Label, isDns1123Subdomain, isQualifiedName } from "../../../../meta/names.ts";
import { validateExpression, validateLabelSelector } from "../../../label-selectors.ts";
import { validateLabelKeys } from "./label-keys.ts";

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";
const WEIGHT_MAX = 100;

export function validateAffinity(field: string, affinity: JsonObject | undefined): FieldError[] {
  return [
    ...validateNodeAffinity(`${field}.nodeAffinity`, objectAt(affinity, "nodeAffinity")),
    ...["podAffinity", "podAntiAffinity"].flatMap((member) =>
      validatePodAffinity(`${field}.${member}`, objectAt(affinity, member)),
    ),
  ];
}

function validateNodeAffinity(field: string, affinity: JsonObject | undefined): FieldError[] {
  const selector = objectAt(affinity, REQUIRED);
  return [
    ...(selector === undefined ? [] : validateNodeSelector(`${field}.${REQUIRED}`, selector)),
    ...objectsAt(affinity, PREFERRED).flatMap((term, index) => {
      const place = `${field}.${PREFERRED}[${index}]`;
      const preference = objectAt(term, "preference") ?? {};
      return [...validateWeight(place, term), ...validateNodeTerm(`${place}.preference`, preference, false)];
    }),
  ];
}

function validateNodeSelector(field: string, selector: JsonObject): FieldError[] {
  const place = `${field}.nodeSelectorTerms`;
  const terms = objectsAt(selector, "nodeSelectorTerms");
  if (terms.length === 0) return [required(place, "must have at least one node selector term")];
  return terms.flatMap((term, index) => validateNodeTerm(`${place}[${index}]`, term, true));
}

function validateWeight(field: string, term: JsonObject): FieldError[] {
  const weight = numberAt(term, "weight") ?? 0;
  if (weight > 0 && weight <= WEIGHT_MAX) return [];
  return [invalid(`${field}.weight`, weight, `must be in the range 1-${WEIGHT_MAX}`)];
}

/** Only what a node must have is held against the values that labels can have. */
function validateNodeTerm(field: string, term: JsonObject, strict: boolean): FieldError[] {
  return [
    ...objectsAt(term, "matchExpressions").flatMap((requirement, index) =>
      validateExpression(`${field}.matchExpressions[${index}]`, requirement, {
        comparesNumbers: true,
        checksValues: strict,
      }),
    ),
    ...objectsAt(term, "matchFields").flatMap((requirement, index) =>
      validateFieldRequirement(`${field}.matchFields[${index}]`, requirement),
    ),
  ];
}

/** Of its fields, a node is selected by its name only. */
function validateFieldRequirement(field: string, requirement: JsonObject): FieldError[] {
  const [key, operator] = [textAt(requirement, "key"), textAt(requirement, "operator")];
  const values = textsAt(requirement, "values");
  const errors: FieldError[] = [];
  if (operator !== "In" && operator !== "NotIn") {
    errors.push(invalid(`${field}.operator`, operator, "not a valid selector operator"));
  } else if (values.length !== 1) {
    const rule = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(required(`${field}.values`, rule));
  }
  if (key !== "metadata.name") {
    return [...errors, invalid(`${field}.key`, key, "not a valid field selector key")];
  }
  values.forEach((value, index) => {
    append(
      errors,
      isDns1123Subdomain(value).map((text) => invalid(`${field}.values[${index}]`, value, text)),
    );
  });
  return errors;
}

function validatePodAffinity(field: string, affinity: JsonObject | undefined): FieldError[] {
  return [
    ...objectsAt(affinity, REQUIRED).flatMap((term, index) =>
      validatePodTerm(`${field}.${REQUIRED}[${index}]`, term),
    ),
    ...objectsAt(affinity, PREFERRED).flatMap((weighted, index) => {
      const place = `${field}.${PREFERRED}[${index}]`;
      const term = objectAt(weighted, "podAffinityTerm") ?? {};
      return [...validateWeight(place, weighted), ...validatePodTerm(`${place}.podAffinityTerm`, term)];
    }),
  ];
}

function validatePodTerm(field: string, term: JsonObject): FieldError[] {
  const key = textAt(term, "topologyKey");
  const place = `${field}.topologyKey`;
  return [
    ...["labelSelector", "namespaceSelector"].flatMap((member) =>
      validateLabelSelector(`${field}.${member}`, objectAt(term, member)),
    ),
    ...textsAt(term, "namespaces").flatMap((name) =>
      isDns1123Label(name).map((text) => invalid(`${field}.namespace`, name, text)),
    ),
    ...validateLabelKeys(field, term, "matchLabelKeys"),
    ...validateLabelKeys(field, term, "mismatchLabelKeys"),
    ...validateApart(field, term),
    ...(key === "" ? [required(place, "can not be empty")] : []),
    ...isQualifiedName(key).map((text) => invalid(place, key, text)),
  ];
}

/** No label can be the same and another one. */
function validateApart(field: string, term: JsonObject): FieldError[] {
  const others = new Set(textsAt(term, "mismatchLabelKeys"));
  const rule = "exists in both matchLabelKeys and mismatchLabelKeys";
  return textsAt(term, "matchLabelKeys").flatMap((key, index) =>
    others.has(key) ? [invalid(`${field}.matchLabelKeys[${index}]`, key, rule)] : [],
  );
}
