// Evaluates the rules of a position and formats the findings. All rules of one object share one cost budget.

import { CALL_COST_MAX, type Expression } from "../../cel/evaluate.ts";
import type { Slot } from "../../cel/program/frame.ts";
import { CelError, OPTIONAL_NONE, Optional } from "../../cel/values/value.ts";
import { trimSpace } from "../../go/white-space.ts";
import { duplicate, type FieldError, forbidden, invalid, required } from "../../meta/field-error.ts";
import { childPath } from "../schema-node.ts";
import type { CompiledRule, PositionRules } from "./compiled-rule.ts";
import { toValue } from "./data-values.ts";
import type { DeclType } from "./decl-type.ts";
import { defaultMessage, ruleName } from "./rule-text.ts";

/** Cost budget of all rules of an object: roughly a second. */
const OBJECT_COST_MAX = 10_000_000;
const MESSAGE_BYTES_MAX = 5 * 1024;
const NO_BUDGET =
  "validation failed due to running out of cost budget, no further validation rules will be run";
const NO_MESSAGE_BUDGET =
  "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run";

/** The cost budget of the object is used up; earlier findings are kept. */
export class OutOfBudget extends Error {}

/** The object costs more than the caller has time for; all findings are dropped. */
export class TooDear extends Error {}

interface Position {
  readonly path: string;
  readonly object: unknown;
  readonly old: unknown;
}

/** self and oldSelf, and oldSelf as an optional. */
interface Variables {
  readonly plain: readonly Slot[];
  readonly optional: readonly Slot[];
}

export class RuleRun {
  readonly findings: FieldError[] = [];
  readonly #onTolerated: ((finding: FieldError) => void) | undefined;
  #budget = OBJECT_COST_MAX;
  /** Remaining cost before TooDear is thrown. */
  #patience: number;

  constructor(onTolerated: ((finding: FieldError) => void) | undefined, patience: number) {
    this.#onTolerated = onTolerated;
    this.#patience = patience;
  }

  /** Runs all rules of a position; isUnchanged reports whether findings about the value are tolerated (ratcheting). */
  check(rules: PositionRules, position: Position, isUnchanged: () => boolean): void {
    const compiled = rules.compiled();
    if (!compiled) return;
    if (this.#budget <= 0) this.#stop(invalid(position.path, rules.typeName, NO_BUDGET));
    const variables = variablesOf(position, compiled.decl);
    for (const rule of compiled.rules)
      this.#checkRule(rule, rules.typeName, { position, variables, isUnchanged });
  }

  #stop(finding: FieldError): never {
    this.findings.push(finding);
    throw new OutOfBudget();
  }

  #checkRule(
    rule: CompiledRule,
    typeName: string,
    {
      position,
      variables,
      isUnchanged,
    }: { position: Position; variables: Variables; isUnchanged: () => boolean },
  ): void {
    const { path, old } = position;
    const fail = (detail: string): FieldError => invalid(path, typeName, detail);
    if (rule.problem !== undefined) this.findings.push(fail(`rule compile error: ${rule.problem}`));
    if (!rule.expression) return;
    const optional = rule.text.optionalOldSelf === true;
    if (rule.usesOldSelf && !optional && (old === undefined || old === null)) return;
    const outcome = this.#evaluate(rule.expression, optional ? variables.optional : variables.plain);
    if (outcome.cost > this.#budget) this.#stop(fail(NO_BUDGET));
    this.#budget -= outcome.cost;
    if (outcome.error !== undefined) {
      const finding = fail(describeFailure(outcome.error, outcome.exhausted === true, ruleName(rule.text)));
      if (outcome.exhausted) this.#stop(finding);
      this.findings.push(finding);
      return;
    }
    if (outcome.value === true) return;
    const at = rule.fieldPath === undefined ? path : childPath(path, rule.fieldPath);
    const tolerated = !rule.usesOldSelf && isUnchanged();
    const message = rule.message && this.#message(rule.message, rule, variables);
    if (message !== undefined && "problem" in message) {
      this.#report(invalid(at, typeName, message.problem), tolerated);
      throw new OutOfBudget();
    }
    const detail = message?.text ?? defaultMessage(rule.text);
    this.#report(finding(at, shownValue(position.object, typeName), detail, rule.text.reason), tolerated);
  }

  #evaluate(expression: Expression, slots: readonly Slot[]): ReturnType<Expression["evaluate"]> {
    const outcome = expression.evaluate(slots, Math.min(CALL_COST_MAX, this.#patience));
    if (this.#patience === Number.POSITIVE_INFINITY) return outcome;
    this.#patience -= outcome.effort;
    if (this.#patience < 0 || (outcome.exhausted && outcome.cost < CALL_COST_MAX)) throw new TooDear();
    return outcome;
  }

  #report(finding: FieldError, tolerated: boolean): void {
    if (!tolerated) this.findings.push(finding);
    else this.#onTolerated?.(finding);
  }

  /** Message of a messageExpression; undefined if it yields none that can be shown. */
  #message(
    expression: Expression,
    rule: CompiledRule,
    variables: Variables,
  ): { readonly text: string } | { readonly problem: string } | undefined {
    const outcome = this.#evaluate(expression, variables.plain);
    if (outcome.cost > this.#budget) return { problem: NO_MESSAGE_BUDGET };
    if (outcome.exhausted) {
      const shown = JSON.stringify(rule.text.messageExpression);
      const why =
        "no further validation rules will be run due to call cost exceeds limit for messageExpression";
      return { problem: `${why}: ${shown}` };
    }
    this.#budget -= outcome.cost;
    if (typeof outcome.value !== "string") return undefined;
    const text = trimSpace(outcome.value);
    const unfit = text === "" || text.includes("\n") || Buffer.byteLength(text) > MESSAGE_BYTES_MAX;
    return unfit ? undefined : { text };
  }
}

function variablesOf({ object, old }: Position, decl: DeclType): Variables {
  const self = slotOf(object, decl);
  if (old === undefined || old === null) return { plain: [self, undefined], optional: [self, OPTIONAL_NONE] };
  const oldSelf = slotOf(old, decl);
  return {
    plain: [self, oldSelf],
    optional: [self, oldSelf instanceof CelError ? oldSelf : new Optional(oldSelf)],
  };
}

function slotOf(data: unknown, decl: DeclType): Exclude<Slot, undefined> {
  try {
    return toValue(data, decl);
  } catch (error) {
    if (error instanceof CelError) return error;
    throw error;
  }
}

function describeFailure(error: string, exhausted: boolean, rule: string): string {
  if (exhausted) {
    return `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`;
  }
  if (error.startsWith("no such overload")) {
    return `'${error}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`;
  }
  return `${error} evaluating rule: ${rule}`;
}

/** Objects and lists are not shown. */
type Shown = { readonly value: unknown } | undefined;

const shownValue = (value: unknown, typeName: string): Shown =>
  typeName === "object" || typeName === "array" ? undefined : { value };

function finding(path: string, shown: Shown, detail: string, reason: string | undefined): FieldError {
  switch (reason) {
    case "FieldValueForbidden":
      return forbidden(path, detail);
    case "FieldValueRequired":
      return required(path, detail);
    case "FieldValueDuplicate":
      return shown
        ? duplicate(path, shown.value)
        : { reason: "FieldValueDuplicate", field: path, message: "Duplicate value" };
    default:
      return shown
        ? invalid(path, shown.value, detail)
        : { reason: "FieldValueInvalid", field: path, message: `Invalid value: ${detail}` };
  }
}
