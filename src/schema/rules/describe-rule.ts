// A rule as it is shown as the value of a finding: the fields of the server's own type, as Go writes JSON.
import { escapeHtml } from "../../meta/json-encode.ts";
import type { RuleText } from "./rule-text.ts";

const quote = (text: string): string => escapeHtml(JSON.stringify(text));

export function describeRuleText(text: RuleText): string {
  const fields = [
    `"Rule":${quote(text.rule)}`,
    `"Message":${quote(text.message)}`,
    `"MessageExpression":${quote(text.messageExpression)}`,
    `"Reason":${text.reason === undefined ? "null" : quote(text.reason)}`,
    `"FieldPath":${quote(text.fieldPath)}`,
    `"OptionalOldSelf":${text.optionalOldSelf ?? null}`,
  ];
  return `{${fields.join(",")}}`;
}
