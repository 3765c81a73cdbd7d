// The expressions of policies and webhooks: they have to compile to what they are used for.

import {
  ANYTHING,
  compileAdmission,
  type Scope,
  TRUTH,
  VariableTypes,
} from "../../admission/expressions/compile.ts";
import type { CelType } from "../../cel/language/types.ts";
import { DYN } from "../../cel/language/types.ts";
import { duplicate, type FieldError, invalid, required, tooMany } from "../../meta/field-error.ts";
import { type JsonObject, objectsAt, textAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { isQualifiedName } from "../../meta/names.ts";
import { formErrors } from "../checks.ts";

const CONDITIONS_MAX = 64;
const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const RESERVED = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** The finding about an expression that does not compile, or none. `shown` is the text as it was written. */
export function validateExpression(
  text: string,
  field: string,
  how: { readonly scope: Scope; readonly types: readonly CelType[]; readonly shown?: string },
): FieldError[] {
  const { problem } = compileAdmission(text, how.scope, how.types);
  return problem === undefined ? [] : [invalid(field, how.shown ?? text, problem)];
}

export function validateConditions(owner: JsonObject, path: string, params: boolean): FieldError[] {
  const conditions = objectsAt(owner, "matchConditions");
  const field = `${path}.matchConditions`;
  const errors: FieldError[] = [];
  if (conditions.length > CONDITIONS_MAX) errors.push(tooMany(field, conditions.length, CONDITIONS_MAX));
  const names = new Set<string>();
  conditions.forEach((condition, index) => {
    const at = `${field}[${index}]`;
    const name = textAt(condition, "name");
    const text = textAt(condition, "expression").trim();
    if (text === "") errors.push(required(`${at}.expression`));
    else {
      const scope = { params, authorizer: true };
      append(errors, validateExpression(text, `${at}.expression`, { scope, types: TRUTH }));
    }
    if (name === "") errors.push(required(`${at}.name`));
    else append(errors, formErrors(isQualifiedName, `${at}.name`, name));
    if (name !== "" && names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
  });
  return errors;
}

export interface VariableFindings {
  readonly errors: FieldError[];
  /** The types of the variables; undefined when there are none. */
  readonly variables: VariableTypes | undefined;
}

/** Each variable may use those before it. */
export function validateVariables(spec: JsonObject, params: boolean): VariableFindings {
  const given = objectsAt(spec, "variables");
  if (given.length === 0) return { errors: [], variables: undefined };
  const variables = new VariableTypes();
  const errors: FieldError[] = [];
  given.forEach((variable, index) => {
    const at = `spec.variables[${index}]`;
    const name = textAt(variable, "name");
    const text = textAt(variable, "expression");
    if (name.trim() === "") errors.push(required(`${at}.name`, "name is not specified"));
    else if (!IDENTIFIER.test(name) || RESERVED.has(name))
      errors.push(invalid(`${at}.name`, name, "name is not a valid CEL identifier"));
    if (text.trim() === "") {
      errors.push(required(`${at}.expression`, "expression is not specified"));
      return;
    }
    const scope = { params, authorizer: true, variables };
    const { expression, problem } = compileAdmission(text, scope, ANYTHING);
    if (problem !== undefined) errors.push(invalid(`${at}.expression`, text, problem));
    variables.add(name, expression?.type ?? DYN);
  });
  return { errors, variables };
}
