// Where a pod wants to be: which nodes, near which pods or far from them, how evenly spread, in spite of which taints.
// Here is what the rules of the schemas leave to code.

import { duplicate, type FieldError, invalid, notSupported, required } from "../../../meta/field-error.ts";
import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../../meta/json.ts";
import { isDns1123Label, isDns1123Subdomain, isLabelValue } from "../../../meta/names.ts";
import { formErrors } from "../../checks.ts";
import { validateExpression } from "../../label-selectors.ts";
import { type CodeRules, objectOf, type Place, schemaErrors } from "../../schema-rules.ts";

export const PLACEMENT_RULES: CodeRules = {
  /** Values of what is only preferred need not be such that labels can have. */
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

/** The rules in code for a pod with this spec. There can be one spread constraint of a kind; the last one of it is not complained of. */
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
  return errors.concat(
    values.flatMap((value, index) => formErrors(isDns1123Subdomain, `${field}.values[${index}]`, value)),
  );
}

/**
 * No label can be the same and another one, and a selector that says something of a label says all of it. In a new pod it
 * has got what follows from the keys, so that such a label is one that the selector speaks of twice.
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

/** A real server counts the keys as if they were the items of the term. */
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
    // A real server names the operators that compare numbers to whoever asks for one, and refuses them all the same.
    const known = COMPARING.includes(operator) ? ["Equal", "Exists", ...COMPARING] : ["Equal", "Exists"];
    errors.push(notSupported(`${field}.operator`, operator, known));
  } else if (value !== "") {
    errors.push(invalid(`${field}.operator`, value, "value must be empty when `operator` is 'Exists'"));
  }
  return errors;
}
