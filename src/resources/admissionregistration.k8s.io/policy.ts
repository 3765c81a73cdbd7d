// What validating and mutating policies have in common.

import { type FieldError, notSupported, required } from "../../meta/field-error.ts";
import { equalJson, type JsonObject, objectAt, objectsAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { ensureObject, setDefault } from "../fields.ts";
import { type VariableFindings, validateConditions, validateVariables } from "./expressions.ts";
import { defaultMatching, validateMatching } from "./match-resources.ts";
import { validateParamKind } from "./params.ts";
import { validateOperations } from "./rules.ts";

export const FAILURE_POLICIES = ["Fail", "Ignore"];
export const REINVOCATION_POLICIES = ["IfNeeded", "Never"];

export const specOf = (object: Readonly<JsonObject>): JsonObject => objectAt(object, "spec") ?? {};

export function defaultPolicy(object: KubeObject): void {
  const spec = ensureObject(object, "spec");
  setDefault(spec, "failurePolicy", "Fail");
  defaultMatching(objectAt(spec, "matchConstraints"));
}

export function defaultBinding(object: KubeObject): void {
  defaultMatching(objectAt(specOf(object), "matchResources"));
}

/** Everything before the expressions that make the policy what it is. `operations`: those that it can be about. */
export function validatePolicy(
  object: Readonly<KubeObject>,
  old: Readonly<KubeObject> | undefined,
  operations?: readonly string[],
): VariableFindings {
  const spec = specOf(object);
  const params = objectAt(spec, "paramKind") !== undefined;
  const { errors, variables } = validateVariables(spec, params);
  return {
    variables,
    errors: [
      ...validateChoiceOf(spec, "failurePolicy", FAILURE_POLICIES),
      ...validateParamKind(spec),
      ...validateConstraints(spec, operations),
      ...(sameConditions(spec, old) ? [] : validateConditions(spec, "spec", params)),
      ...errors,
    ],
  };
}

/** Conditions that were there before are not looked at again. */
function sameConditions(spec: JsonObject, old: Readonly<KubeObject> | undefined): boolean {
  if (old === undefined) return false;
  const before = specOf(old);
  return ["paramKind", "matchConditions"].every((member) => equalJson(spec[member], before[member]));
}

export function validateChoiceOf(spec: JsonObject, member: string, allowed: readonly string[]): FieldError[] {
  const given = spec[member];
  if (given === undefined || given === "") return [required(`spec.${member}`)];
  return allowed.includes(String(given)) ? [] : [notSupported(`spec.${member}`, given, allowed)];
}

function validateConstraints(spec: JsonObject, operations: readonly string[] | undefined): FieldError[] {
  const path = "spec.matchConstraints";
  const matching = objectAt(spec, "matchConstraints");
  if (matching === undefined) return [required(path)];
  const errors = validateMatching(matching, path);
  if (objectsAt(matching, "resourceRules").length === 0) errors.push(required(`${path}.resourceRules`));
  if (operations) append(errors, validateOperations(matching, "resourceRules", path, operations));
  return errors;
}
