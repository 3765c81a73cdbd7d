// A rule compiled against the declaration of its position, with everything that creation of a CRD wants to know of it.

import { compileExpression, type Expression, environmentOf } from "../../cel/evaluate.ts";
import type { Environment } from "../../cel/language/environment.ts";
import { optionalOf } from "../../cel/language/types.ts";
import type { Size } from "../../cel/library/price.ts";
import { trimSpace } from "../../cel/library/strings.ts";
import { estimateCost, type SizeOfPath } from "../../cel/program/cost-estimate.ts";
import type { JsonSchema } from "../schema-node.ts";
import type { DeclType } from "./decl-type.ts";
import { normalizeRulePath } from "./rule-path.ts";
import type { RuleText } from "./rule-text.ts";

export const SELF = "self";
const OLD_SELF = "oldSelf";

export interface CompiledRule {
  readonly text: RuleText;
  /** undefined if the rule is blank, or broken: see problem. */
  readonly expression: Expression | undefined;
  readonly problem: string | undefined;
  readonly usesOldSelf: boolean;
  readonly message: Expression | undefined;
  readonly messageProblem: string | undefined;
  /** Where a finding points to, below the position; undefined: to the position itself. */
  readonly fieldPath: string | undefined;
}

const broken = (text: RuleText, problem: string | undefined): CompiledRule => ({
  text,
  expression: undefined,
  problem,
  usesOldSelf: false,
  message: undefined,
  messageProblem: undefined,
  fieldPath: undefined,
});

export function compileRule(text: RuleText, decl: DeclType, schema: JsonSchema): CompiledRule {
  if (trimSpace(text.rule) === "") return broken(text, undefined);
  const env = ruleEnvironment(decl, text.optionalOldSelf === true);
  const compiled = compileExpression(text.rule, env);
  if ("problem" in compiled) return broken(text, `compilation failed: ${compiled.problem}`);
  if (compiled.type.kind !== "bool") return broken(text, "cel expression must evaluate to a bool");
  const fieldPath = text.fieldPath === "" ? undefined : normalizeRulePath(text.fieldPath, schema);
  const rule = {
    ...broken(text, undefined),
    expression: compiled,
    usesOldSelf: compiled.uses(OLD_SELF),
    fieldPath,
  };
  if (text.messageExpression === "") return rule;
  const message = compileExpression(text.messageExpression, env);
  if ("problem" in message) {
    return { ...rule, messageProblem: `messageExpression compilation failed: ${message.problem}` };
  }
  if (message.type.kind !== "string") {
    return { ...rule, messageProblem: "messageExpression must evaluate to a string" };
  }
  return { ...rule, message };
}

function ruleEnvironment({ type }: DeclType, optionalOldSelf: boolean): Environment {
  return environmentOf(
    new Map([
      [SELF, type],
      [OLD_SELF, optionalOldSelf ? optionalOf(type) : type],
    ]),
  );
}

/** The most that one evaluation of the expression can cost. */
export const maxCostOf = (expression: Expression | undefined, decl: DeclType): number =>
  expression ? estimateCost(expression.root, sizeOfPath(decl)) : 0;

function sizeOfPath(root: DeclType): SizeOfPath {
  return (path): Size | undefined => {
    let at: DeclType | undefined = root;
    for (const step of path.slice(1)) {
      if (step === "@keys") return at.kind === "map" ? { min: 0, max: 0 } : undefined;
      at = step === "@items" || step === "@values" ? at.item : at.fields.get(step)?.decl;
      if (!at) return undefined;
    }
    return { min: 0, max: at.maxElements };
  };
}
