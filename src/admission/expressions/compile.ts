// Expressions of admission, compiled: against what they may refer to, and to one of the types that are wanted.
import { compileExpression, type Expression, environmentOf } from "../../cel/evaluate.ts";
import type { Environment } from "../../cel/language/environment.ts";
import { BOOL, type CelType, DYN, NULL, STRING, sameType, struct } from "../../cel/language/types.ts";
import { type Functions, functionsOf } from "../../cel/library/declare.ts";
import { AUTHORIZER, authorizerFunctions, RESOURCE_CHECK } from "./authorizer.ts";
import { NAMESPACE_TYPE, patchFunctions, patchMessageType, REQUEST_TYPE } from "./types.ts";

/** What an expression may refer to beside the object, the request and the namespace. */
export interface Scope {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** Named values of the policy; left out: there is nothing called variables. */
  readonly variables?: VariableTypes;
  /** Whether it can make patches. */
  readonly patches?: boolean;
  /** The types of object, oldObject and params, where they are known. */
  readonly types?: { readonly object: CelType; readonly params: CelType | undefined };
}

/** The types of the named values so far. */
export class VariableTypes {
  readonly type: CelType;
  readonly #types = new Map<string, CelType>();

  constructor() {
    this.type = struct("kubernetes.variables", (name) => this.#types.get(name));
  }

  add(name: string, type: CelType): void {
    this.#types.set(name, plainType(type));
  }
}

/** Messages and values of libraries are not followed through a named value. */
function plainType(type: CelType): CelType {
  return type.kind === "struct" || type.kind === "opaque" || type.kind === "type" ? DYN : type;
}

export interface CompiledExpression {
  readonly text: string;
  /** The variables in the order of their slots. */
  readonly names: readonly string[];
  readonly expression: Expression | undefined;
  /** Why there is none. */
  readonly problem: string | undefined;
}

export const ANYTHING: readonly CelType[] = [];
export const TRUTH: readonly CelType[] = [BOOL];
export const TEXT: readonly CelType[] = [STRING];
export const TEXT_OR_NOTHING: readonly CelType[] = [STRING, NULL];

let ofAuthorizer: Functions | undefined;
let ofPatches: Functions | undefined;

/** Compiles an expression that is to give one of the types, or anything when there are none. */
export function compileAdmission(text: string, scope: Scope, wanted: readonly CelType[]): CompiledExpression {
  const env = environmentFor(scope);
  const names = [...env.variables.keys()];
  const compiled = compileExpression(text, env);
  if ("problem" in compiled) {
    return { text, names, expression: undefined, problem: `compilation failed: ${compiled.problem}` };
  }
  const { type } = compiled;
  if (wanted.length === 0 || wanted.some((item) => sameType(type, item))) {
    return { text, names, expression: compiled, problem: undefined };
  }
  const types = wanted.map(typeText);
  const expected = types.length === 1 ? types[0] : `one of [${types.join(" ")}]`;
  const problem = `must evaluate to ${expected} but got ${typeText(type)}`;
  return { text, names, expression: undefined, problem };
}

/** What the compiler says of an expression, whatever it gives; undefined when there is nothing wrong with it. */
export function findTypeIssues(text: string, scope: Scope): string | undefined {
  const compiled = compileExpression(text, environmentFor(scope));
  return "problem" in compiled ? compiled.problem : undefined;
}

function typeText({ name, params }: CelType): string {
  return params.length === 0 ? name : `${name}(${params.map(typeText).join(", ")})`;
}

function environmentFor(scope: Scope): Environment {
  const object = scope.types?.object ?? DYN;
  const variables = new Map<string, CelType>([
    ["object", object],
    ["oldObject", object],
    ["namespaceObject", NAMESPACE_TYPE],
    ["request", REQUEST_TYPE],
  ]);
  if (scope.params) variables.set("params", scope.types?.params ?? DYN);
  if (scope.authorizer) {
    variables.set("authorizer", AUTHORIZER.type);
    variables.set("authorizer.requestResource", RESOURCE_CHECK.type);
  }
  if (scope.variables) variables.set("variables", scope.variables.type);
  const base = environmentOf(variables);
  ofAuthorizer ??= functionsOf(authorizerFunctions(), base.functions);
  if (!scope.patches) return { ...base, functions: ofAuthorizer };
  ofPatches ??= functionsOf(patchFunctions(), ofAuthorizer);
  return { ...base, functions: ofPatches, messageType: patchMessageType };
}
