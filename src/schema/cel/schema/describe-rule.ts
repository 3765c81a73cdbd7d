// A rule as it is shown as the value of a finding: the fields of the server's own type, as Go writes JSON.
import type { RuleText } from "./rule-text.ts";

const HTML = /[<>&\u2028\u2029]/g;

const quote = (text: string): string =>
  JSON.stringify(text).replace(HTML, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

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
