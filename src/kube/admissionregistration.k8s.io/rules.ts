// Shared parts of this group: which requests a webhook, a policy or a binding matches.

import type { CelType } from "../../apimachinery/cel/language/types.ts";
import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../apimachinery/json/json.ts";
import {
  type FieldError,
  invalid,
  notSupported,
  required,
  tooMany,
} from "../../apimachinery/meta/field-error.ts";
import {
  compileAdmission,
  compileVariables,
  type Scope,
  TRUTH,
} from "../../apiserver/admission/expressions/compile.ts";
import type { ResourceDefinition } from "../../apiserver/registry/definition/resource-definition.ts";
import { type BuiltInKind, builtIn } from "../../apiserver/registry/strategy/define.ts";
import { type CodeRules, type Place, schemaErrors } from "../../apiserver/registry/strategy/schema-rules.ts";

export const ofAdmission = (kind: string, facts: BuiltInKind): ResourceDefinition =>
  builtIn("admissionregistration.k8s.io/v1", kind, {
    categories: ["api-extensions"],
    namespaceScoped: false,
    ...facts,
    strategy: { metadataChecksOnUpdate: ["new"], hasGeneration: true, ...facts.strategy },
  });

/** Code rules of match rules. */
export const RULE_CODE: CodeRules = {
  lonelyStar,
  resources: ({ field, value }) => validateResources(textsOf(value), field),
};

const textsOf = (value: unknown): string[] => [value].flat().map(String);

/** Operations that a mutating policy can match. */
const MUTATING_OPERATIONS = ["*", "CONNECT", "CREATE", "UPDATE"];

/** An operation that no mutating policy can match is reported for the rules as a whole. */
export function validateMutatingOperations(matching: JsonObject | undefined, path: string): FieldError[] {
  return objectsAt(matching, "resourceRules")
    .flatMap((rule) => textsAt(rule, "operations"))
    .filter((operation) => !MUTATING_OPERATIONS.includes(operation))
    .map((operation) => notSupported(`${path}.resourceRules.operations`, operation, MUTATING_OPERATIONS));
}

const SHOWN = new Map([
  ["apiGroups", "API groups"],
  ["apiVersions", "API versions"],
]);

/** "*" must be the only item. */
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
  let plain = false; // whether the last one has no subresource
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

// CEL expressions of policies and webhooks: they must compile to the expected type.

const CONDITIONS_MAX = 64;
const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const RESERVED = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** Finding about an expression that does not compile, or none. `shown` is the text as written. */
export function validateExpression(
  text: string,
  field: string,
  how: { readonly scope: Scope; readonly types: readonly CelType[]; readonly shown?: string },
): FieldError[] {
  const { problem } = compileAdmission(text, how.scope, how.types);
  return problem === undefined ? [] : [invalid(field, how.shown ?? text, problem)];
}

/** The value is an expression of one of these types. */
export const expressionRule =
  (scope: Scope, types: readonly CelType[]) =>
  ({ field, value }: Place): FieldError[] =>
    validateExpression(String(value), field, { scope, types });

/** The same, ignoring surrounding white space. */
export const trimmedRule = (scope: Scope, types: readonly CelType[]) => (place: Place) =>
  expressionRule(scope, types)({ ...place, value: String(place.value).trim() });

export function validateConditions(owner: JsonObject, path: string, params: boolean): FieldError[] {
  const conditions = objectsAt(owner, "matchConditions");
  const field = `${path}.matchConditions`;
  const code = { condition: trimmedRule({ params, authorizer: true }, TRUTH) };
  return [
    ...(conditions.length > CONDITIONS_MAX ? [tooMany(field, conditions.length, CONDITIONS_MAX)] : []),
    ...schemaErrors("io.k8s.api.admissionregistration.v1.MatchCondition", conditions, { field, code }),
  ];
}

/** Findings about a policy's variables, and the scope of its expressions. */
export function policyScope(spec: JsonObject): {
  readonly errors: FieldError[];
  readonly scope: Scope;
} {
  const given = objectsAt(spec, "variables");
  const outside = { params: hasParams(spec), authorizer: true };
  if (given.length === 0) return { errors: [], scope: outside };
  const written = given.filter((variable) => textAt(variable, "expression").trim() !== "");
  const { scope, variables } = compileVariables(written, outside);
  const code: CodeRules = {
    identifier: ({ field, value }) =>
      IDENTIFIER.test(String(value)) && !RESERVED.has(String(value))
        ? []
        : [invalid(field, value, "must be a valid CEL identifier")],
    variable({ field, value, owner }) {
      const problem = variables[written.indexOf(owner)]?.compiled.problem;
      return problem === undefined ? [] : [invalid(field, value, problem)];
    },
  };
  const type = "io.k8s.api.admissionregistration.v1.Variable";
  return { errors: schemaErrors(type, given, { field: "spec.variables", code }), scope };
}

export const hasParams = (spec: JsonObject): boolean => objectAt(spec, "paramKind") !== undefined;
