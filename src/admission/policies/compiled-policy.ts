// Policies and bindings in the form in which they are run.

import { DYN } from "../../cel/language/types.ts";
import { type JsonObject, objectAt, objectsOf, textOf, textsOf } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { NamedExpression } from "../expressions/activation.ts";
import {
  ANYTHING,
  type CompiledExpression,
  compileAdmission,
  type Scope,
  TEXT,
  TEXT_OR_NOTHING,
  TRUTH,
  VariableTypes,
} from "../expressions/compile.ts";
import { compileMatchConditions, type MatchConditions } from "../expressions/match-conditions.ts";
import { APPLIED_TYPE, PATCH_TYPE } from "../expressions/patch-types.ts";
import { type Matching, readMatchResources } from "../matching/matching.ts";

export interface Policy {
  readonly name: string;
  readonly matching: Matching;
  readonly conditions: MatchConditions;
  readonly variables: readonly NamedExpression[];
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | undefined;
  /** Errors are passed over. */
  readonly ignoreErrors: boolean;
}

export interface ValidationRule {
  readonly rule: CompiledExpression;
  readonly message: string;
  readonly messageExpression: CompiledExpression | undefined;
  readonly reason: string;
}

export interface ValidatingPolicy extends Policy {
  readonly rules: readonly ValidationRule[];
  readonly annotations: readonly CompiledExpression[];
}

export interface MutationStep {
  readonly type: "patch" | "apply";
  readonly expression: CompiledExpression;
}

export interface MutatingPolicy extends Policy {
  readonly mutations: readonly MutationStep[];
  readonly reinvoked: boolean;
}

export interface Binding {
  readonly name: string;
  readonly policyName: string;
  readonly matching: Matching | undefined;
  readonly paramRef: JsonObject | undefined;
  readonly actions: readonly string[];
}

interface Parts extends Policy {
  readonly spec: JsonObject;
  readonly scope: Scope;
}

function compileParts(object: Readonly<KubeObject>, patches: boolean): Parts {
  const spec = objectAt(object, "spec") ?? {};
  const paramKind = objectAt(spec, "paramKind");
  const params = paramKind !== undefined;
  const types = new VariableTypes();
  const scope: Scope = { params, authorizer: true, variables: types, patches };
  const variables = objectsOf(spec["variables"]).map((variable) => {
    const name = textOf(variable["name"]);
    const compiled = compileAdmission(textOf(variable["expression"]), scope, ANYTHING);
    types.add(name, compiled.expression?.type ?? DYN);
    return { name, compiled };
  });
  return {
    name: object.metadata.name ?? "",
    matching: readMatchResources(objectAt(spec, "matchConstraints") ?? {}),
    conditions: compileMatchConditions(spec, { params }),
    variables,
    paramKind: paramKind && {
      apiVersion: textOf(paramKind["apiVersion"]),
      kind: textOf(paramKind["kind"]),
    },
    ignoreErrors: spec["failurePolicy"] === "Ignore",
    spec,
    scope,
  };
}

export function compileValidatingPolicy(object: Readonly<KubeObject>): ValidatingPolicy {
  const { spec, scope, ...policy } = compileParts(object, false);
  const withoutAuthorizer = { ...scope, authorizer: false };
  return {
    ...policy,
    rules: objectsOf(spec["validations"]).map((validation) => {
      const message = textOf(validation["messageExpression"]);
      return {
        rule: compileAdmission(textOf(validation["expression"]), scope, TRUTH),
        message: textOf(validation["message"]),
        messageExpression: message === "" ? undefined : compileAdmission(message, withoutAuthorizer, TEXT),
        reason: textOf(validation["reason"]) || "Invalid",
      };
    }),
    annotations: objectsOf(spec["auditAnnotations"]).map((annotation) =>
      compileAdmission(textOf(annotation["valueExpression"]).trim(), scope, TEXT_OR_NOTHING),
    ),
  };
}

export function compileMutatingPolicy(object: Readonly<KubeObject>): MutatingPolicy {
  const { spec, scope, ...policy } = compileParts(object, true);
  return {
    ...policy,
    reinvoked: spec["reinvocationPolicy"] === "IfNeeded",
    mutations: objectsOf(spec["mutations"]).map((mutation) => {
      const type = mutation["patchType"] === "JSONPatch" ? "patch" : "apply";
      const source = objectAt(mutation, type === "patch" ? "jsonPatch" : "applyConfiguration");
      const wanted = [type === "patch" ? PATCH_TYPE : APPLIED_TYPE];
      return { type, expression: compileAdmission(textOf(source?.["expression"]).trim(), scope, wanted) };
    }),
  };
}

export function readBinding(object: Readonly<KubeObject>): Binding {
  const spec = objectAt(object, "spec") ?? {};
  const matching = objectAt(spec, "matchResources");
  return {
    name: object.metadata.name ?? "",
    policyName: textOf(spec["policyName"]),
    matching: matching && readMatchResources(matching),
    paramRef: objectAt(spec, "paramRef"),
    actions: textsOf(spec["validationActions"]),
  };
}
