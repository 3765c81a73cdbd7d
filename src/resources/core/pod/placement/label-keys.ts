// Labels of the pod itself that other pods must have, or must not have, beside those that are selected by.
import { type FieldError, forbidden, invalid } from "../../../../meta/field-error.ts";
import { type JsonObject, objectAt, textsAt } from "../../../../meta/json.ts";
import { isQualifiedName } from "../../../../meta/names.ts";

export function validateLabelKeys(field: string, source: JsonObject, member: string): FieldError[] {
  const keys = textsAt(source, member);
  const place = `${field}.${member}`;
  if (keys.length > 0 && objectAt(source, "labelSelector") === undefined) {
    return [forbidden(place, "must not be specified when labelSelector is not set")];
  }
  return keys.flatMap((key, index) =>
    isQualifiedName(key).map((text) => invalid(`${place}[${index}]`, key, text)),
  );
}
