// What the two kinds of roles have in common: their rules.
import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { type JsonObject, objectsAt, textsAt } from "../../meta/json.ts";
import { emptyListsToNull } from "../fields.ts";

export const withoutEmptyRules = (object: JsonObject): void => emptyListsToNull(object, ["rules"]);

/** Rules of a namespace are about resources only; others may be about paths instead. */
export function validateRules(object: Readonly<JsonObject>, namespaceScoped: boolean): FieldError[] {
  return objectsAt(object, "rules").flatMap((rule, index) =>
    validateRule(`rules[${index}]`, rule, namespaceScoped),
  );
}

function validateRule(field: string, rule: JsonObject, namespaceScoped: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (textsAt(rule, "verbs").length === 0) {
    errors.push(required(`${field}.verbs`, "verbs must contain at least one value"));
  }
  const urls = textsAt(rule, "nonResourceURLs");
  return [
    ...errors,
    ...(urls.length > 0 ? validateUrls(field, rule, urls, namespaceScoped) : validateResources(field, rule)),
  ];
}

function validateUrls(
  field: string,
  rule: JsonObject,
  urls: readonly string[],
  namespaceScoped: boolean,
): FieldError[] {
  const complaints: string[] = [];
  if (namespaceScoped) complaints.push("namespaced rules cannot apply to non-resource URLs");
  if (["apiGroups", "resources", "resourceNames"].some((key) => textsAt(rule, key).length > 0)) {
    complaints.push("rules cannot apply to both regular resources and non-resource URLs");
  }
  return complaints.map((text) => invalid(`${field}.nonResourceURLs`, urls, text));
}

function validateResources(field: string, rule: JsonObject): FieldError[] {
  const resources = textsAt(rule, "resources");
  const errors: FieldError[] = [];
  if (textsAt(rule, "apiGroups").length === 0) {
    errors.push(required(`${field}.apiGroups`, "resource rules must supply at least one api group"));
  }
  if (resources.length === 0) {
    errors.push(required(`${field}.resources`, "resource rules must supply at least one resource"));
  }
  if (textsAt(rule, "resourceNames").length > 0 && resources.length > 1) {
    errors.push(required(`${field}.resourceNames`, "resource names cannot apply to multiple resources"));
  }
  return errors;
}
