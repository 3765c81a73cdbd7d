// How a HorizontalPodAutoscaler names another object.
import { type FieldError, invalid } from "../../meta/field-error.ts";
import type { Place } from "../schema-rules.ts";

/** What the apiVersion has to be: group and version, a version at least, or whatever it was before. */
export type ApiVersionRule = "by group" | "by version" | "anyhow";

export function apiVersionErrors({ field, value }: Place, rule: ApiVersionRule): FieldError[] {
  const complaint = apiVersionComplaint(String(value), rule);
  return complaint === undefined ? [] : [invalid(field, value, complaint)];
}

export function apiVersionComplaint(apiVersion: string, rule: ApiVersionRule): string | undefined {
  if (rule === "anyhow") return undefined;
  const parts = apiVersion.split("/");
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  const hasGroup = parts.length === 2 && parts[0] !== "";
  return rule === "by group" && !hasGroup ? "apiVersion must specify API group" : undefined;
}
