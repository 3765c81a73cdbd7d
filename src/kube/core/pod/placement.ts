// Scheduling constraints of a pod: node affinity, pod affinity and anti-affinity, topology spread, tolerations. These are
// the code rules of their schemas.

import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../../apimachinery/json/json.ts";
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
} from "../../../apimachinery/meta/field-error.ts";
import { isDns1123Label, isDns1123Subdomain, isLabelValue } from "../../../apimachinery/meta/names.ts";
import { formErrors } from "../../../apiserver/registry/strategy/checks.ts";
import { validateExpression } from "../../../apiserver/registry/strategy/label-selectors.ts";
import {
  type CodeRules,
  objectOf,
  type Place,
  schemaErrors,
} from "../../../apiserver/registry/strategy/schema-rules.ts";

export const PLACEMENT_RULES: CodeRules = {
  /** Values of preferred terms need not be valid label values. */
  nodeExpression: ({ field, value }) =>
    validateExpression(field, objectOf(value), {
      comparesNumbers: true,
      checksValues: !field.includes("preferredDuringSchedulingIgnoredDuringExecution"),
    }),
  nodeField: ({ field, value }) => validateFieldRequirement(field, objectOf(value)),
  namespaces: ({ field, owner }) =>
    textsAt(owner, "namespaces").flatMap((name) => formErrors(isDns1123Label, `${field}.namespace`, name)),
  keysApart: validateApart,
  domains: ({ field, value, owner: { whenUnsatisfiable: action } }) => {
    const rule = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
    return action === "DoNotSchedule" ? [] : [invalid(field, value, rule)];
  },
  toleration: ({ field, owner }) => validateToleration(field, owner),
};

/**
 * Code rules for a pod with this spec. Topology spread constraints have unique keys; of duplicates all but the last one
 * are reported.
 */
export function placementRules(spec: JsonObject): CodeRules {
  const kindOf = (constraint: JsonObject): string =>
    `{${textAt(constraint, "topologyKey")}, ${textAt(constraint, "whenUnsatisfiable")}}`;
  const lastOfKind = new Map(
    objectsAt(spec, "topologySpreadConstraints").map((item) => [kindOf(item), item]),
  );
  return {
    ...PLACEMENT_RULES,
    spreadKind: ({ field, owner }) => {
      const kind = kindOf(owner);
      return lastOfKind.get(kind) === owner
        ? []
        : [duplicate(`${field}.{topologyKey, whenUnsatisfiable}`, kind)];
    },
  };
}

/** The only supported node field is the name. */
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
  return errors.concat(
    values.flatMap((value, index) => formErrors(isDns1123Subdomain, `${field}.values[${index}]`, value)),
  );
}

/**
 * A key is in only one of matchLabelKeys and mismatchLabelKeys, and not in the label selector. In a new pod the keys are
 * already merged into the selector, so that such a label appears there twice.
 */
function validateApart({ field, owner: term }: Place): FieldError[] {
  const keys = textsAt(term, "matchLabelKeys");
  if (keys.length === 0) return [];
  const others = new Set(textsAt(term, "mismatchLabelKeys"));
  const rule = "exists in both matchLabelKeys and mismatchLabelKeys";
  return [
    ...selectedTwice(field, keys, objectAt(term, "labelSelector")),
    ...keys.flatMap((key, index) =>
      others.has(key) ? [invalid(`${field}.matchLabelKeys[${index}]`, key, rule)] : [],
    ),
  ];
}

/** Upstream uses the index of the key as if it were that of the term. */
function selectedTwice(
  field: string,
  keys: readonly string[],
  selector: JsonObject | undefined,
): FieldError[] {
  const seen = new Set(Object.keys(objectAt(selector, "matchLabels") ?? {}));
  return objectsAt(selector, "matchExpressions").flatMap((expression) => {
    const key = textAt(expression, "key");
    const index = keys.lastIndexOf(key);
    const isTwice = index >= 0 && seen.has(key);
    seen.add(key);
    return isTwice
      ? [invalid(`${field}[${index}]`, key, "exists in both matchLabelKeys and labelSelector")]
      : [];
  });
}

export const validateTolerations = (field: string, tolerations: readonly JsonObject[]): FieldError[] =>
  schemaErrors("io.k8s.api.core.v1.Toleration", tolerations, { field, code: PLACEMENT_RULES });

const COMPARING = ["Lt", "Gt"];

function validateToleration(field: string, toleration: JsonObject): FieldError[] {
  const [operator, value] = [textAt(toleration, "operator"), textAt(toleration, "value")];
  const errors: FieldError[] = [];
  if (operator === "" || operator === "Equal") {
    const complaints = isLabelValue(value);
    if (complaints.length > 0) errors.push(invalid(`${field}.operator`, value, complaints.join(";")));
  } else if (operator !== "Exists") {
    // Upstream's error lists the numeric operators for such an operator, although it rejects them.
    const known = COMPARING.includes(operator) ? ["Equal", "Exists", ...COMPARING] : ["Equal", "Exists"];
    errors.push(notSupported(`${field}.operator`, operator, known));
  } else if (value !== "") {
    errors.push(invalid(`${field}.operator`, value, "value must be empty when `operator` is 'Exists'"));
  }
  return errors;
}
