// Pointers to other objects by kind and name, and members that never change.
import { type FieldError, invalid, required } from "../meta/field-error.ts";
import { equalJson, type JsonObject } from "../meta/json.ts";
import { isDns1123Subdomain, isPathSegmentName } from "../meta/names.ts";
import { textAt } from "./fields.ts";

/** A text that must be there and fit into a URL as one segment. */
export function validateSegment(field: string, text: string): FieldError[] {
  if (text === "") return [required(field)];
  return isPathSegmentName(text, false).map((complaint) => invalid(field, text, complaint));
}

/** apiGroup, kind and name of an object in the same namespace. */
export function validateTypedReference(field: string, reference: JsonObject): FieldError[] {
  const apiGroup = reference["apiGroup"];
  return [
    ...(typeof apiGroup === "string"
      ? isDns1123Subdomain(apiGroup).map((text) => invalid(`${field}.apiGroup`, apiGroup, text))
      : []),
    ...validateKindAndName(field, reference),
  ];
}

/** Kind and name of an object in the same namespace. */
export const validateKindAndName = (field: string, reference: JsonObject): FieldError[] =>
  ["kind", "name"].flatMap((member) => validateSegment(`${field}.${member}`, textAt(reference, member)));

export const validateSame = (field: string, value: unknown, before: unknown): FieldError[] =>
  equalJson(value, before) ? [] : [invalid(field, value, "field is immutable")];
