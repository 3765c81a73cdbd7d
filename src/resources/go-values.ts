// Values that messages show as Go structs: their members in the order of the struct, not of the alphabet.

import type { FieldError } from "../meta/field-error.ts";
import { encodeJson } from "../meta/json-encode.ts";

type Struct = Readonly<Record<string, unknown>>;

export const invalidStruct = (field: string, value: Struct, detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  message: `Invalid value: ${JSON.stringify(value)}: ${detail}`,
});

export const notSupportedStruct = (
  field: string,
  value: Struct,
  supported: readonly string[],
): FieldError => ({
  reason: "FieldValueNotSupported",
  field,
  message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported.map((item) => encodeJson(item)).join(", ")}`,
});
