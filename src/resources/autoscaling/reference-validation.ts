// How a HorizontalPodAutoscaler names another object.
import { type FieldError, invalid } from "../../meta/field-error.ts";
import type { JsonObject } from "../../meta/json.ts";
import { textAt } from "../fields.ts";
import { validateKindAndName } from "../references.ts";

/** What the apiVersion has to be: group and version, a version at least, or whatever it was before. */
export type ApiVersionRule = "by group" | "by version" | "anyhow";

export function validateReference(field: string, reference: JsonObject, rule: ApiVersionRule): FieldError[] {
  const apiVersion = textAt(reference, "apiVersion");
  const complaint = apiVersionComplaint(apiVersion, rule);
  return [
    ...validateKindAndName(field, reference),
    ...(complaint === undefined ? [] : [invalid(`${field}.apiVersion`, apiVersion, complaint)]),
  ];
}

export function apiVersionComplaint(apiVersion: string, rule: ApiVersionRule): string | undefined {
  if (rule === "anyhow") return undefined;
  const parts = apiVersion.split("/");
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  const hasGroup = parts.length === 2 && parts[0] !== "";
  return rule === "by group" && !hasGroup ? "apiVersion must specify API group" : undefined;
}
