// CEL expressions for any purpose: compiled once against an environment, and evaluated any number of times. Validation
// rules of schemas use this; admission policies and match conditions can as well.
import { append } from "../meta/lists.ts";
import { type Expr, walk } from "./language/ast.ts";
import { check } from "./language/checker.ts";
import { checkLiterals } from "./language/literal-checks.ts";
import { parse } from "./language/parser.ts";
import { describeIssues, Source } from "./language/source.ts";
import { type CelType, DYN } from "./language/types.ts";
import type { Environment } from "./library/declare.ts";
import { kubernetesLibrary } from "./library/functions.ts";
import { Frame, type Slot, type Step } from "./program/frame.ts";
import { plan } from "./program/plan.ts";
import { matchingCost, resetWork } from "./values/inspect.ts";
import { CelError, CostExceeded, type Value } from "./values/value.ts";

/** Default limit of the cost of an evaluation: roughly a tenth of a second. */
export const CALL_COST_MAX = 1_000_000;

interface Outcome {
  /** The actual cost, also of a failed evaluation. */
  readonly cost: number;
  /** The cost, with pattern matching at its measured effort if that exceeds its part of the cost. */
  readonly effort: number;
  readonly value?: Value;
  /** Why there is no value. */
  readonly error?: string;
  /** True if the error is that the cost limit was reached. */
  readonly exhausted?: boolean;
}

export interface Expression {
  readonly type: CelType;
  /** The checked tree, for cost estimates. */
  readonly root: Expr;
  /** True if the variable occurs in the expression. */
  uses(variable: string): boolean;
  /** Values in the order of the environment's variables; undefined for an absent one. */
  evaluate(values: readonly Slot[], costMax?: number): Outcome;
}

/** An environment with the functions of Kubernetes and the given variables. */
export const environmentOf = (variables: ReadonlyMap<string, CelType>): Environment => ({
  variables,
  ...kubernetesLibrary(),
});

/** The compiled expression, or the text of its errors. */
export function compileExpression(text: string, env: Environment): Expression | { readonly problem: string } {
  const source = new Source(text);
  const parsed = parse(source);
  if ("issues" in parsed) return { problem: describeIssues(source, parsed.issues) };
  const root = parsed.expr;
  const issues = check(root, env);
  if (issues.length === 0) append(issues, checkLiterals(root));
  if (issues.length > 0) return { problem: describeIssues(source, issues) };
  return makeExpression(root, env);
}

function makeExpression(root: Expr, env: Environment): Expression {
  const names = new Map([...env.variables.keys()].map((name, index) => [name, index]));
  const next = { count: names.size };
  let step: Step | undefined;
  return {
    root,
    type: root.type ?? DYN,
    uses: (variable) => mentions(root, variable),
    evaluate(values, costMax = CALL_COST_MAX) {
      step ??= plan(root, { names, next });
      const frame = new Frame([...values], costMax);
      const spent = () => ({ cost: frame.cost, effort: frame.cost + matchingCost() });
      resetWork(costMax < CALL_COST_MAX ? costMax : undefined);
      try {
        const value = step(frame);
        return { value, ...spent() };
      } catch (error) {
        if (error instanceof CelError) return { error: error.message, ...spent() };
        if (error instanceof CostExceeded) return { error: error.message, ...spent(), exhausted: true };
        throw error;
      }
    },
  };
}

function mentions(root: Expr, variable: string): boolean {
  let found = false;
  walk(root, (expr) => {
    if (expr.kind === "ident" && expr.name.replace(/^\./, "") === variable) found = true;
  });
  return found;
}
