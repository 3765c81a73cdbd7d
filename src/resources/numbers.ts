// Numbers that may not be less than nothing.
import { type FieldError, invalid } from "../meta/field-error.ts";
import { type JsonObject, numberAt } from "../meta/json.ts";

/** Of these members, those that are there must be 0 or more. */
export function validateNotNegative(
  field: string,
  source: JsonObject | undefined,
  members: readonly string[],
): FieldError[] {
  return members.flatMap((member) => {
    const number = numberAt(source, member) ?? 0;
    return number < 0 ? [invalid(`${field}.${member}`, number, "must be greater than or equal to 0")] : [];
  });
}
