// One entry of x-kubernetes-validations as it is written, and how findings name it.

import { trimSpace } from "../../cel/library/strings.ts";
import { isObject, type JsonObject } from "../../meta/json.ts";
import { escapeHtml } from "../../meta/json-encode.ts";
import type { JsonSchema } from "../schema-node.ts";

export interface RuleText {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason: string | undefined;
  readonly fieldPath: string;
  readonly optionalOldSelf: boolean | undefined;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export function rulesOf(schema: JsonSchema): RuleText[] {
  const entries = schema["x-kubernetes-validations"];
  if (!Array.isArray(entries)) return [];
  return entries.filter(isObject).map((entry) => ({
    rule: textOf(entry["rule"]),
    message: textOf(entry["message"]),
    messageExpression: textOf(entry["messageExpression"]),
    reason: typeof entry["reason"] === "string" ? entry["reason"] : undefined,
    fieldPath: textOf(entry["fieldPath"]),
    optionalOldSelf: typeof entry["optionalOldSelf"] === "boolean" ? entry["optionalOldSelf"] : undefined,
  }));
}

/** How a finding names the rule: by its message, or else by itself. */
export const ruleName = ({ rule, message }: RuleText): string => trimSpace(message === "" ? rule : message);

export const defaultMessage = (rule: RuleText): string =>
  rule.message === "" ? `failed rule: ${ruleName(rule)}` : ruleName(rule);

/** The fields of the server's own type, in its order. */
export const internalRule = (text: RuleText): JsonObject => ({
  Rule: text.rule,
  Message: text.message,
  MessageExpression: text.messageExpression,
  Reason: text.reason ?? null,
  FieldPath: text.fieldPath,
  OptionalOldSelf: text.optionalOldSelf ?? null,
});

/** A rule as it is shown as the value of a finding: as Go writes JSON. */
export const describeRuleText = (text: RuleText): string => escapeHtml(JSON.stringify(internalRule(text)));
