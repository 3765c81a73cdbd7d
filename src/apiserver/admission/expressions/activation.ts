// Evaluation of expressions for one request: variables, cost limits, and match conditions, all of which must be true
// for the request to be evaluated.

import type { Slot } from "../../../apimachinery/cel/program/frame.ts";
import { valueOfJson } from "../../../apimachinery/cel/values/collections.ts";
import { CelError, type MapValue, type Value } from "../../../apimachinery/cel/values/value.ts";
import { type JsonObject, objectsAt, textAt } from "../../../apimachinery/json/json.ts";
import { type AskedResource, type Asking, AUTHORIZER, RESOURCE_CHECK } from "./authorizer.ts";
import { type CompiledExpression, compileAdmission, TRUTH } from "./compile.ts";

/** Cost limit of all expressions of a policy for one request: roughly a second. */
export const POLICY_COST_MAX = 10_000_000;
export const MATCH_COST_MAX = 2_500_000;

/** Aborts the whole evaluation. */
export class OutOfBudget extends Error {
  constructor() {
    super("validation failed due to running out of cost budget, no further validation rules will be run");
  }
}

export class Budget {
  #left: number;
  constructor(costMax: number) {
    this.#left = costMax;
  }
  spend(cost: number): void {
    if (cost > this.#left) throw new OutOfBudget();
    this.#left -= cost;
  }
}

/** The inputs of all expressions for one request. */
export interface ExpressionInput {
  readonly object: unknown;
  readonly oldObject: unknown;
  readonly request: unknown;
  /** The namespace of the object; undefined for cluster-scoped objects. */
  readonly namespaceObject: unknown;
  /** One of the parameters; undefined without any. */
  readonly params: unknown;
  /** The user and the authorizer of `authorizer`, and the resource of `authorizer.requestResource`. */
  readonly by: Asking;
  readonly asked: AskedResource;
}

export interface NamedExpression {
  readonly name: string;
  readonly compiled: CompiledExpression;
}

export interface Outcome {
  readonly value?: Value;
  /** Why there is no value. */
  readonly error?: string;
}

export class Activation {
  readonly #values: ReadonlyMap<string, Slot>;
  readonly #budget: Budget;
  readonly #variables: Variables;

  constructor(input: ExpressionInput, variables: readonly NamedExpression[], budget: Budget) {
    const { by, asked } = input;
    this.#budget = budget;
    this.#variables = new Variables(variables, (compiled) => this.#run(compiled));
    this.#values = new Map<string, Slot>([
      ["object", valueOfJson(input.object)],
      ["oldObject", valueOfJson(input.oldObject)],
      ["namespaceObject", valueOfJson(input.namespaceObject)],
      ["request", valueOfJson(input.request)],
      ["params", valueOfJson(input.params)],
      ["authorizer", AUTHORIZER.of(by)],
      ["authorizer.requestResource", RESOURCE_CHECK.of({ by, asked })],
      ["variables", this.#variables],
    ]);
  }

  /** Throws OutOfBudget. */
  evaluate(compiled: CompiledExpression): Outcome {
    if (compiled.problem !== undefined) return { error: `compilation error: ${compiled.problem}` };
    const { cost, value, error } = this.#run(compiled);
    this.#budget.spend(this.#variables.takeCost());
    this.#budget.spend(cost);
    if (value !== undefined) return { value };
    return { error: `expression '${compiled.text}' resulted in error: ${error}` };
  }

  #run({ expression, names }: CompiledExpression) {
    if (expression === undefined) throw new Error("only what compiles is run");
    return expression.evaluate(names.map((name) => this.#values.get(name)));
  }
}

interface Run extends Outcome {
  readonly cost: number;
}

/** The variables of a policy, each evaluated once, when an expression first uses it. */
class Variables implements MapValue {
  readonly tag = "map";
  readonly #expressions: ReadonlyMap<string, CompiledExpression>;
  readonly #run: (compiled: CompiledExpression) => Run;
  readonly #known = new Map<string, Value | CelError>();
  #cost = 0;

  constructor(variables: readonly NamedExpression[], run: (compiled: CompiledExpression) => Run) {
    this.#expressions = new Map(variables.map(({ name, compiled }) => [name, compiled]));
    this.#run = run;
  }

  get size(): number {
    return this.#expressions.size;
  }

  find(key: Value): Value | undefined {
    const compiled = typeof key === "string" ? this.#expressions.get(key) : undefined;
    if (compiled === undefined || typeof key !== "string") return undefined;
    let value = this.#known.get(key);
    if (value === undefined) {
      value = this.#make(key, compiled);
      this.#known.set(key, value);
    }
    if (value instanceof CelError) throw value;
    return value;
  }

  keys(): Iterable<Value> {
    return this.#expressions.keys();
  }

  equals(other: MapValue): boolean {
    return this === other;
  }

  /** Cost of variables since the last call. */
  takeCost(): number {
    const cost = this.#cost;
    this.#cost = 0;
    return cost;
  }

  #make(name: string, compiled: CompiledExpression): Value | CelError {
    const subject = `composited variable ${JSON.stringify(name)}`;
    if (compiled.problem !== undefined)
      return new CelError(`${subject} fails to compile: ${compiled.problem}`);
    const { value, error, cost } = this.#run(compiled);
    this.#cost += cost;
    return value ?? new CelError(`${subject} fails to evaluate: ${error}`);
  }
}

/** Match conditions of a policy or a webhook. */
export interface MatchConditions {
  readonly expressions: readonly CompiledExpression[];
  /** failurePolicy Ignore: an error skips the policy or webhook for this request. */
  readonly ignoreErrors: boolean;
}

export function compileMatchConditions(
  owner: JsonObject,
  scope: { readonly params: boolean },
): MatchConditions {
  const expressions = objectsAt(owner, "matchConditions").map((condition) =>
    compileAdmission(textAt(condition, "expression").trim(), { ...scope, authorizer: true }, TRUTH),
  );
  return { expressions, ignoreErrors: owner["failurePolicy"] === "Ignore" };
}

export type MatchResult = { readonly matches: boolean } | { readonly error: string };

/** A condition that is false takes precedence over errors of others. */
export function checkConditions(conditions: MatchConditions, input: ExpressionInput): MatchResult {
  if (conditions.expressions.length === 0) return { matches: true };
  const activation = new Activation(input, [], new Budget(MATCH_COST_MAX));
  const errors = new Set<string>();
  try {
    for (const expression of conditions.expressions) {
      const { value, error } = activation.evaluate(expression);
      if (error !== undefined) errors.add(error);
      else if (value === false) return { matches: false };
    }
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    return conditions.ignoreErrors ? { matches: false } : { error: error.message };
  }
  if (errors.size === 0) return { matches: true };
  if (conditions.ignoreErrors) return { matches: false };
  const all = [...errors].join(", ");
  return { error: errors.size === 1 ? all : `[${all}]` };
}
