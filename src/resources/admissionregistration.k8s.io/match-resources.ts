// The requests that a policy or a binding is about.

import { type FieldError, notSupported, required } from "../../meta/field-error.ts";
import { type JsonObject, objectAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { setDefault } from "../fields.ts";
import { validateLabelSelector } from "../label-selectors.ts";
import { defaultRules, validateRules } from "./rules.ts";

export const MATCH_POLICIES = ["Equivalent", "Exact"];

export function defaultMatching(matching: JsonObject | undefined): void {
  if (matching === undefined) return;
  setDefault(matching, "matchPolicy", "Equivalent");
  matching["namespaceSelector"] ??= {};
  matching["objectSelector"] ??= {};
  defaultRules(matching, "resourceRules");
  defaultRules(matching, "excludeResourceRules");
}

export function validateMatching(matching: JsonObject | undefined, path: string): FieldError[] {
  if (matching === undefined) return [];
  const errors: FieldError[] = [];
  const { matchPolicy } = matching;
  if (matchPolicy === undefined) errors.push(required(`${path}.matchPolicy`));
  else if (!MATCH_POLICIES.includes(String(matchPolicy)))
    errors.push(notSupported(`${path}.matchPolicy`, matchPolicy, MATCH_POLICIES));
  for (const member of ["namespaceSelector", "objectSelector"]) {
    const selector = objectAt(matching, member);
    if (selector === undefined) errors.push(required(`${path}.${member}`));
    else append(errors, validateLabelSelector(`${path}.${member}`, selector));
  }
  return [
    ...errors,
    ...validateRules(matching, "resourceRules", path),
    ...validateRules(matching, "excludeResourceRules", path),
  ];
}
