// Conditions that all have to hold for a request to be looked at by a policy or a webhook.
import { type JsonObject, objectsOf, textOf } from "../../meta/json.ts";
import { Activation, Budget, type ExpressionInput, MATCH_COST_MAX, OutOfBudget } from "./activation.ts";
import { type CompiledExpression, compileAdmission, TRUTH } from "./compile.ts";

export interface MatchConditions {
  readonly expressions: readonly CompiledExpression[];
  /** Whether errors are passed over, and the request with them. */
  readonly ignoreErrors: boolean;
}

export function compileMatchConditions(
  owner: JsonObject,
  { params }: { readonly params: boolean },
): MatchConditions {
  const expressions = objectsOf(owner["matchConditions"]).map((condition) =>
    compileAdmission(textOf(condition["expression"]).trim(), { params, authorizer: true }, TRUTH),
  );
  return { expressions, ignoreErrors: owner["failurePolicy"] === "Ignore" };
}

export type MatchResult = { readonly matches: boolean } | { readonly error: string };

/** One that is false outweighs errors of the others. */
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
  const [first = "", ...others] = errors;
  return { error: others.length === 0 ? first : `[${[first, ...others].join(", ")}]` };
}
