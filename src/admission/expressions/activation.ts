// The values behind the names of an expression, for one request, and what evaluating may cost. The named values of a
// policy are made when an expression asks for them, once.

import type { Slot } from "../../cel/program/frame.ts";
import { valueOfJson } from "../../cel/values/collections.ts";
import { CelError, type MapValue, type Value } from "../../cel/values/value.ts";
import type { Authorizer } from "../../registry/definition/access.ts";
import type { UserInfo } from "../../registry/definition/request-context.ts";
import { type AskedResource, AUTHORIZER, RESOURCE_CHECK } from "./authorizer.ts";
import type { CompiledExpression } from "./compile.ts";

/** What all expressions of a policy may cost together for one request: roughly a second. */
export const POLICY_COST_MAX = 10_000_000;
export const MATCH_COST_MAX = 2_500_000;

const OUT_OF_BUDGET =
  "validation failed due to running out of cost budget, no further validation rules will be run";

/** Ends an evaluation for good. */
export class OutOfBudget extends Error {
  constructor() {
    super(OUT_OF_BUDGET);
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

/** All that expressions see of one request. */
export interface ExpressionInput {
  readonly object: unknown;
  readonly oldObject: unknown;
  readonly request: unknown;
  /** The namespace of the object; undefined when it is in none. */
  readonly namespaceObject: unknown;
  /** One of the parameters; undefined when there are none. */
  readonly params: unknown;
  readonly access: {
    readonly authorizer: Authorizer;
    readonly user: UserInfo;
    readonly asked: AskedResource;
  };
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
    const { authorizer, user, asked } = input.access;
    const by = { authorizer, user };
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

interface Run {
  readonly cost: number;
  readonly value?: Value;
  readonly error?: string;
}

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

  /** What was spent on them since the last call. */
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
