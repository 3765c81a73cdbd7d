// ClusterRole: rights in the whole cluster. The rules of one with an aggregationRule would be filled by a controller
// that is not here, so they are kept as they are given.
import { type FieldError, required } from "../../meta/field-error.ts";
import { type JsonObject, objectAt, objectsAt } from "../../meta/json.ts";
import { isPathSegmentName } from "../../meta/names.ts";
import { builtIn } from "../define.ts";
import { validateLabelSelector } from "../label-selectors.ts";
import { validateRules, withoutEmptyRules } from "./rules.ts";

function validate(object: Readonly<JsonObject>): FieldError[] {
  const errors = validateRules(object, false);
  const aggregation = objectAt(object, "aggregationRule");
  if (aggregation === undefined) return errors;
  const field = "aggregationRule.clusterRoleSelectors";
  const selectors = objectsAt(aggregation, "clusterRoleSelectors");
  if (selectors.length === 0) {
    const rule = "at least one clusterRoleSelector required if aggregationRule is non-nil";
    errors.push(required(field, rule));
  }
  return [
    ...errors,
    ...selectors.flatMap((selector, index) => validateLabelSelector(`${field}[${index}]`, selector)),
  ];
}

export const clusterRoles = builtIn("rbac.authorization.k8s.io/v1", "ClusterRole", {
  namespaceScoped: false,
  strategy: {
    metadataChecksOnUpdate: ["new", "changed"],
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: true,
    validateName: isPathSegmentName,
    prepareForCreate: withoutEmptyRules,
    prepareForUpdate: withoutEmptyRules,
    validate,
    validateUpdate: validate,
  },
});
