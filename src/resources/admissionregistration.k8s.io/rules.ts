// What the kinds of this group have in common: which requests a webhook, a policy or a binding is about.

import {
  ANYTHING,
  compileAdmission,
  type Scope,
  TRUTH,
  VariableTypes,
} from "../../admission/expressions/compile.ts";
import { type CelType, DYN } from "../../cel/language/types.ts";
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
  tooMany,
} from "../../meta/field-error.ts";
import { type JsonObject, objectsAt, textAt, textsAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { isPathSegmentName, isQualifiedName } from "../../meta/names.ts";
import type { ResourceDefinition } from "../../registry/definition/resource-definition.ts";
import { formErrors } from "../checks.ts";
import { type BuiltInKind, builtIn } from "../define.ts";
import type { CodeRules, Place } from "../schema-rules.ts";

export const ofAdmission = (kind: string, facts: BuiltInKind): ResourceDefinition =>
  builtIn("admissionregistration.k8s.io/v1", kind, {
    categories: ["api-extensions"],
    namespaceScoped: false,
    ...facts,
    strategy: { metadataChecksOnUpdate: ["new"], hasGeneration: true, ...facts.strategy },
  });

/** What rules ask for beyond their schema. */
export const RULE_CODE: CodeRules = {
  resourceNames: ({ field, value }) => validateNames(textsOf(value), field),
  lonelyStar,
  resources: ({ field, value }) => validateResources(textsOf(value), field),
};

const textsOf = (value: unknown): string[] => [value].flat().map(String);

/** What a mutating policy can be about. */
const MUTATING_OPERATIONS = ["*", "CREATE", "UPDATE"];

/** Operations that no mutating policy is about are told at the rules as a whole. */
export function validateMutatingOperations(matching: JsonObject | undefined, path: string): FieldError[] {
  return objectsAt(matching, "resourceRules")
    .flatMap((rule) => textsAt(rule, "operations"))
    .filter((operation) => !MUTATING_OPERATIONS.includes(operation))
    .map((operation) => notSupported(`${path}.resourceRules.operations`, operation, MUTATING_OPERATIONS));
}

function validateNames(names: readonly string[], field: string): FieldError[] {
  const seen = new Set<string>();
  return names.flatMap((name, index) => {
    const errors = isPathSegmentName(name, false).map((text) => invalid(`${field}[${index}]`, name, text));
    if (seen.has(name)) errors.push(duplicate(`${field}[${index}]`, name));
    seen.add(name);
    return errors;
  });
}

const SHOWN = new Map([
  ["apiGroups", "API groups"],
  ["apiVersions", "API versions"],
]);

/** There is nothing beside the star. */
function lonelyStar({ name, field, owner }: Place): FieldError[] {
  const values = textsAt(owner, name);
  if (values.length === 1 || !values.includes("*")) return [];
  const others = `other ${SHOWN.get(name) ?? name}`;
  return [invalid(`${field}.${name}`, values, `if '*' is present, must not specify ${others}`)];
}

function validateResources(resources: readonly string[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  const wholes = new Set<string>(); // pods of pods/*
  const everywhere = new Set<string>(); // status of */status
  let plain = false; // of the last one that names no subresource
  for (const [index, resource] of resources.entries()) {
    const at = `${field}[${index}]`;
    if (resource === "") {
      errors.push(required(at));
      continue;
    }
    const slash = resource.indexOf("/");
    if (slash < 0) {
      plain = resource !== "*";
      continue;
    }
    const [main, sub] = [resource.slice(0, slash), resource.slice(slash + 1)];
    const covers = (by: string) => `if '${by}' is present, must not specify ${resource}`;
    if (wholes.has(main)) errors.push(invalid(at, resource, covers(`${main}/*`)));
    if (everywhere.has(sub)) errors.push(invalid(at, resource, covers(`*/${sub}`)));
    if (sub === "*") wholes.add(main);
    if (main === "*") everywhere.add(sub);
  }
  if (resources.length > 1 && resources.includes("*/*"))
    errors.push(invalid(field, resources, "if '*/*' is present, must not specify other resources"));
  if (resources.includes("*") && plain) {
    const detail = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalid(field, resources, detail));
  }
  return errors;
}

// The expressions of policies and webhooks: they have to compile to what they are used for.

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
