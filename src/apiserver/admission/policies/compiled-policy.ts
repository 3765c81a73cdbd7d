// Policies and bindings in compiled form.

import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../../apimachinery/json/json.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import {
  compileMatchConditions,
  type MatchConditions,
  type NamedExpression,
} from "../expressions/activation.ts";
import {
  APPLIED_TYPE,
  type CompiledExpression,
  compileAdmission,
  compileVariables,
  PATCH_TYPE,
  type Scope,
  TEXT,
  TEXT_OR_NOTHING,
  TRUTH,
} from "../expressions/compile.ts";
import { type Matching, readMatchResources } from "../matching.ts";

export interface Policy {
  readonly name: string;
  readonly matching: Matching;
  readonly conditions: MatchConditions;
  readonly variables: readonly NamedExpression[];
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | undefined;
  /** failurePolicy Ignore: errors do not reject the request. */
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
  const outside = { params, authorizer: true, patches };
  const { scope, variables } = compileVariables(objectsAt(spec, "variables"), outside);
  return {
    name: object.metadata.name ?? "",
    matching: readMatchResources(objectAt(spec, "matchConstraints") ?? {}),
    conditions: compileMatchConditions(spec, { params }),
    variables,
    paramKind: paramKind && {
      apiVersion: textAt(paramKind, "apiVersion"),
      kind: textAt(paramKind, "kind"),
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
    rules: objectsAt(spec, "validations").map((validation) => {
      const message = textAt(validation, "messageExpression");
      return {
        rule: compileAdmission(textAt(validation, "expression"), scope, TRUTH),
        message: textAt(validation, "message"),
        messageExpression: message === "" ? undefined : compileAdmission(message, withoutAuthorizer, TEXT),
        reason: textAt(validation, "reason") || "Invalid",
      };
    }),
    annotations: objectsAt(spec, "auditAnnotations").map((annotation) =>
      compileAdmission(textAt(annotation, "valueExpression").trim(), scope, TEXT_OR_NOTHING),
    ),
  };
}

export function compileMutatingPolicy(object: Readonly<KubeObject>): MutatingPolicy {
  const { spec, scope, ...policy } = compileParts(object, true);
  return {
    ...policy,
    reinvoked: spec["reinvocationPolicy"] === "IfNeeded",
    mutations: objectsAt(spec, "mutations").map((mutation) => {
      const type = mutation["patchType"] === "JSONPatch" ? "patch" : "apply";
      const source = objectAt(mutation, type === "patch" ? "jsonPatch" : "applyConfiguration");
      const wanted = [type === "patch" ? PATCH_TYPE : APPLIED_TYPE];
      return { type, expression: compileAdmission(textAt(source, "expression").trim(), scope, wanted) };
    }),
  };
}

export function readBinding(object: Readonly<KubeObject>): Binding {
  const spec = objectAt(object, "spec") ?? {};
  const matching = objectAt(spec, "matchResources");
  return {
    name: object.metadata.name ?? "",
    policyName: textAt(spec, "policyName"),
    matching: matching && readMatchResources(matching),
    paramRef: objectAt(spec, "paramRef"),
    actions: textsAt(spec, "validationActions"),
  };
}
