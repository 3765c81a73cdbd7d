// Members that never change.
import { type FieldError, invalid } from "../meta/field-error.ts";
import { equalJson } from "../meta/json.ts";

export const validateSame = (field: string, value: unknown, before: unknown): FieldError[] =>
  equalJson(value, before) ? [] : [invalid(field, value, "field is immutable")];
