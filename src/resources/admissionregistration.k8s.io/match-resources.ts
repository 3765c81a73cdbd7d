// The requests that a policy or a binding is about.

import type { FieldError } from "../../meta/field-error.ts";
import type { JsonObject } from "../../meta/json.ts";
import { setDefault } from "../fields.ts";
import { schemaErrors } from "../schema-rules.ts";
import { defaultRules, RULE_CODE } from "./rules.ts";

export function defaultMatching(matching: JsonObject | undefined): void {
  if (matching === undefined) return;
  setDefault(matching, "matchPolicy", "Equivalent");
  matching["namespaceSelector"] ??= {};
  matching["objectSelector"] ??= {};
  defaultRules(matching, "resourceRules");
  defaultRules(matching, "excludeResourceRules");
}

export const validateMatching = (matching: JsonObject | undefined, field: string): FieldError[] =>
  matching === undefined
    ? []
    : schemaErrors("io.k8s.api.admissionregistration.v1.MatchResources", matching, {
        field,
        code: RULE_CODE,
      });
