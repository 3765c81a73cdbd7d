// Compilation of admission expressions: against their environment, and to one of the expected types.

import { compileExpression, type Expression, environmentOf } from "../../../apimachinery/cel/evaluate.ts";
import {
  BOOL,
  type CelType,
  DYN,
  listOf,
  NULL,
  STRING,
  sameType,
  struct,
} from "../../../apimachinery/cel/language/types.ts";
import type { Environment } from "../../../apimachinery/cel/library/declare.ts";
import {
  declare,
  type FunctionDecl,
  type Functions,
  functionsOf,
  typeOfText,
} from "../../../apimachinery/cel/library/declare.ts";
import { itemsOf, MessageValue } from "../../../apimachinery/cel/values/collections.ts";
import { isList, isMap, type Value } from "../../../apimachinery/cel/values/value.ts";
import { type JsonObject, textAt } from "../../../apimachinery/json/json.ts";
import { AUTHORIZER, authorizerFunctions, RESOURCE_CHECK } from "./authorizer.ts";

/** Names available to an expression besides the object, the request and the namespace. */
export interface Scope {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** Types of the policy's variables; absent: `variables` is undeclared. */
  readonly variables?: VariableTypes;
  /** Whether the expression can create patches. */
  readonly patches?: boolean;
  /** The types of object, oldObject and params, where they are known. */
  readonly types?: { readonly object: CelType; readonly params: CelType | undefined };
}

/** The types of the variables compiled so far. */
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

/** Struct and library types of a variable are not tracked; they become dyn. */
function plainType(type: CelType): CelType {
  return type.kind === "struct" || type.kind === "opaque" || type.kind === "type" ? DYN : type;
}

export interface CompiledExpression {
  readonly text: string;
  /** The variables in the order of their slots. */
  readonly names: readonly string[];
  readonly expression: Expression | undefined;
  /** Why compilation failed. */
  readonly problem: string | undefined;
}

export const ANYTHING: readonly CelType[] = [];
export const TRUTH: readonly CelType[] = [BOOL];
export const TEXT: readonly CelType[] = [STRING];
export const TEXT_OR_NOTHING: readonly CelType[] = [STRING, NULL];

let ofAuthorizer: Functions | undefined;
let ofPatches: Functions | undefined;

/** Compiles an expression with one of the expected result types, or any when the list is empty. */
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

/** Compiles the variables of a policy, each of which may use earlier ones. Also returns the scope with all of them. */
export function compileVariables(given: readonly JsonObject[], outside: Scope) {
  const types = new VariableTypes();
  const scope: Scope = { ...outside, variables: types };
  const variables = given.map((variable) => {
    const name = textAt(variable, "name");
    const compiled = compileAdmission(textAt(variable, "expression"), scope, ANYTHING);
    types.add(name, compiled.expression?.type ?? DYN);
    return { name, compiled };
  });
  return { scope, variables };
}

/** The compiler's error for an expression with any result type; undefined when it compiles. */
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

// Types of the request and its namespace in admission expressions: undeclared fields are compilation errors. Also
// types that mutating policies create: Object and its nested objects, and JSON patch operations.

/** A type with exactly these fields: "name: type, …" in the notation of signatures, and further types. */
function object(name: string, fields: string, others: Readonly<Record<string, CelType>> = {}): CelType {
  const types = new Map(Object.entries(others));
  for (const [, field = "", type = ""] of fields.matchAll(/(\w+): (\w+(?:\([^)]*\)+)?)/g))
    types.set(field, typeOfText(type));
  return struct(name, (field) => types.get(field));
}

const kind = object("kubernetes.GroupVersionKind", "group: string, version: string, kind: string");
const resource = object(
  "kubernetes.GroupVersionResource",
  "group: string, version: string, resource: string",
);
const userInfo = object(
  "kubernetes.UserInfo",
  "username: string, uid: string, groups: list(string), extra: map(string, list(string))",
);

export const REQUEST_TYPE: CelType = object(
  "kubernetes.AdmissionRequest",
  "subResource: string, requestSubResource: string, name: string, namespace: string, operation: string, dryRun: bool, options: dyn",
  { kind, resource, requestKind: kind, requestResource: resource, userInfo },
);

const condition = object(
  "kubernetes.NamespaceCondition",
  "status: string, type: string, lastTransitionTime: timestamp, message: string, reason: string",
);

const metadata = object(
  "kubernetes.NamespaceMetadata",
  `name: string, generateName: string, namespace: string, labels: map(string, string),
   annotations: map(string, string), UID: string, creationTimestamp: timestamp, deletionGracePeriodSeconds: int,
   deletionTimestamp: timestamp, generation: int, resourceVersion: string, finalizers: list(string)`,
);

export const NAMESPACE_TYPE: CelType = object("kubernetes.Namespace", "", {
  metadata,
  spec: object("kubernetes.NamespaceSpec", "finalizers: list(string)"),
  status: object("kubernetes.NamespaceStatus", "phase: string", { conditions: listOf(condition) }),
});

const OBJECT = "Object";
const OPERATION = "JSONPatch";

const operationType = object(OPERATION, "op: string, path: string, from: string, value: dyn");
/** The fields of objects are not declared: their values are validated when the object is used. */
const objectType = (name: string): CelType => struct(name, () => DYN);

export const APPLIED_TYPE: CelType = objectType(OBJECT);
export const PATCH_TYPE: CelType = listOf(operationType);

export function patchMessageType(name: string): CelType | undefined {
  if (name === OPERATION) return operationType;
  return name === OBJECT || name.startsWith(`${OBJECT}.`) ? objectType(name) : undefined;
}

/** Escapes a key for a JSON pointer. */
export const patchFunctions = (): FunctionDecl[] => [
  declare("jsonpatch.escapeKey(string) -> string", (key: string) =>
    key.replaceAll("~", "~0").replaceAll("/", "~1"),
  ),
];

/**
 * Nested object types are named by their path: Object.spec is the type of the field spec. Returns the error for a
 * misplaced object, or undefined.
 */
export function misplacedObject(value: Value, name = OBJECT): string | undefined {
  if (value instanceof MessageValue) {
    if (value.name !== name) {
      const expected = `expected ${JSON.stringify(name)}, which matches field name path from root Object type`;
      return `unexpected type name ${JSON.stringify(value.name)}, ${expected}`;
    }
    return firstOf([...value.fields], ([field, inner]) => misplacedObject(inner, `${name}.${field}`));
  }
  if (isList(value)) return firstOf(itemsOf(value), (item) => misplacedObject(item, name));
  if (!isMap(value)) return undefined;
  return firstOf([...value.keys()], (key) => misplacedObject(value.find(key) ?? null, name));
}

function firstOf<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
