// One validated requirement of a label selector. Errors are worded as in k8s.io/apimachinery.
import { describeFieldError, FINDINGS_CHARS_MAX, type FieldError, invalid } from "./field-error.ts";
import { isLabelValue, isQualifiedName } from "./names.ts";

export type LabelOperator = "=" | "==" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt";

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** The selector is invalid. parseLabelSelector converts it to a 400. */
export class InvalidSelectorError extends Error {
  override readonly name = "InvalidSelectorError";
}

const SHORT_NAME_MAX = 63;
const SHORT_NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** Fast check for most keys and values: a name without a prefix. */
const isShortName = (text: string): boolean => text.length <= SHORT_NAME_MAX && SHORT_NAME.test(text);

export const keyComplaints = (key: string): readonly string[] =>
  isShortName(key) ? [] : isQualifiedName(key);

/** Validates a requirement. Undefined values count as an absent list, which messages show as null. */
export function requirement(
  key: string,
  operator: LabelOperator,
  values?: readonly string[],
): LabelRequirement {
  const given = values ?? [];
  if (!isPlain(key, operator, given)) {
    const errors = errorsOf(key, operator, values);
    if (errors.length > 0) throw new InvalidSelectorError(describeAll(errors));
  }
  return { key, operator, values: given };
}

/** Fast check: true if the requirement certainly has no error. */
function isPlain(key: string, operator: LabelOperator, values: readonly string[]): boolean {
  if (!isShortName(key)) return false;
  if (operator === "exists" || operator === "!") return values.length === 0;
  if (operator === "gt" || operator === "lt" || values.length === 0) return false;
  for (const value of values) if (value !== "" && !isShortName(value)) return false;
  return true;
}

function errorsOf(key: string, operator: LabelOperator, values: readonly string[] | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const given = values ?? [];
  const complaints = isQualifiedName(key);
  if (complaints.length > 0) errors.push(invalid("key", key, complaints.join("; ")));
  if ((operator === "in" || operator === "notin") && given.length === 0) {
    errors.push(invalid("values", values, "for 'in', 'notin' operators, values set can't be empty"));
  }
  if ((operator === "exists" || operator === "!") && given.length > 0) {
    errors.push(invalid("values", values, "values set must be empty for exists and does not exist"));
  }
  if (operator === "gt" || operator === "lt") {
    const detail = "for 'Gt', 'Lt' operators, the value must be an integer";
    given.forEach((value, index) => {
      if (parseInt64(value) === undefined) errors.push(invalid(`values[${index}]`, value, detail));
    });
  }
  let chars = 0;
  for (const [index, value] of given.entries()) {
    const wrong = isLabelValue(value);
    if (wrong.length === 0) continue;
    const error = invalid(`values[${index}][${key}]`, value, wrong.join("; "));
    errors.push(error);
    chars += error.field.length + error.message.length;
    if (chars > FINDINGS_CHARS_MAX) break;
  }
  return errors;
}

function describeAll(errors: readonly FieldError[]): string {
  const shown = [...new Set(errors.map(describeFieldError))];
  return shown.length === 1 ? (shown[0] ?? "") : `[${shown.join(", ")}]`;
}

/** Parses an integer as strconv.ParseInt(text, 10, 64) does. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,40}$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ""));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
