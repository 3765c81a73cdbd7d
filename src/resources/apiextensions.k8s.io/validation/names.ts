// The names of a CRD, as they are wanted (spec.names) and as they are held (status.acceptedNames).

import { type FieldError, invalid, required } from "../../../meta/field-error.ts";
import { type JsonObject, textOf, textsOf } from "../../../meta/json.ts";
import { append } from "../../../meta/lists.ts";
import { isDns1035Label } from "../../../meta/names.ts";

const REQUIRED = ["plural", "singular", "kind", "listKind"] as const;

/** Names that a spec must have, and held names need not. */
export function requireNames(names: JsonObject, path: string): FieldError[] {
  return REQUIRED.filter((member) => textOf(names[member]) === "").map((member) =>
    required(`${path}.${member}`),
  );
}

/** Checks the names that are given. */
export function validateNames(names: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const member of ["plural", "singular"]) append(errors, wordErrors(names[member], `${path}.${member}`));
  for (const member of ["kind", "listKind"])
    append(errors, kindErrors(textOf(names[member]), `${path}.${member}`));
  append(errors, listErrors(names["shortNames"], `${path}.shortNames`));
  const kind = textOf(names["kind"]);
  if (kind !== "" && kind === names["listKind"]) {
    errors.push(invalid(`${path}.listKind`, kind, "kind and listKind may not be the same"));
  }
  append(errors, listErrors(names["categories"], `${path}.categories`));
  return errors;
}

function wordErrors(value: unknown, field: string): FieldError[] {
  const word = textOf(value);
  return word === "" ? [] : labelErrors(word, field);
}

function kindErrors(kind: string, field: string): FieldError[] {
  const complaints = kind === "" ? [] : isDns1035Label(kind.toLowerCase());
  if (complaints.length === 0) return [];
  return [invalid(field, kind, `may have mixed case, but should otherwise match: ${complaints.join(",")}`)];
}

function listErrors(value: unknown, path: string): FieldError[] {
  return textsOf(value).flatMap((word, index) => labelErrors(word, `${path}[${index}]`));
}

/** At most one finding: all complaints about the label in one line. */
export function labelErrors(label: string, field: string): FieldError[] {
  const complaints = isDns1035Label(label);
  return complaints.length === 0 ? [] : [invalid(field, label, complaints.join(","))];
}
