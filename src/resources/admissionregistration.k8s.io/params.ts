// Parameters of policies: of which kind they are, and which ones a binding takes.

import { type FieldError, forbidden, invalid, required } from "../../meta/field-error.ts";
import { type JsonObject, objectAt, textAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import {
  isDns1035Label,
  isDns1123Subdomain,
  isPathSegmentName,
  nameIsDnsSubdomain,
} from "../../meta/names.ts";
import { formatSelectorStruct, validateLabelSelector } from "../label-selectors.ts";
import { schemaErrors } from "../schema-rules.ts";

export function validateParamKind(spec: JsonObject): FieldError[] {
  const kind = objectAt(spec, "paramKind");
  if (kind === undefined) return [];
  const errors = validateApiVersion(textAt(kind, "apiVersion"), "spec.paramKind.apiVersion");
  const name = textAt(kind, "kind");
  if (name === "") return [...errors, required("spec.paramKind.kind")];
  const complaints = isDns1035Label(name.toLowerCase());
  if (complaints.length === 0) return errors;
  const detail = `may have mixed case, but should otherwise match: ${complaints.join(",")}`;
  return [...errors, invalid("spec.paramKind.kind", name, detail)];
}

function validateApiVersion(text: string, field: string): FieldError[] {
  if (text === "") return [required(field)];
  const parts = text === "/" ? ["", ""] : text.split("/");
  if (parts.length > 2) return [invalid(field, text, `unexpected GroupVersion string: ${text}`)];
  const version = parts.at(-1) ?? "";
  const group = parts.length === 2 ? (parts[0] ?? "") : "";
  const errors: FieldError[] = [];
  const ofGroup = group === "" ? [] : isDns1123Subdomain(group);
  if (ofGroup.length > 0) errors.push(invalid(field, group, ofGroup.join(",")));
  const ofVersion = isDns1035Label(version);
  if (version === "") errors.push(invalid(field, text, "version must be specified"));
  else if (ofVersion.length > 0) errors.push(invalid(field, version, ofVersion.join(",")));
  return errors;
}

export function validatePolicyName(spec: JsonObject): FieldError[] {
  const name = textAt(spec, "policyName");
  if (name === "") return [required("spec.policyName")];
  return nameIsDnsSubdomain(name, false).map((text) => invalid("spec.policyName", name, text));
}

const EXCLUSIVE = "name and selector are mutually exclusive";

export function validateParamRef(spec: JsonObject): FieldError[] {
  const ref = objectAt(spec, "paramRef");
  if (ref === undefined) return [];
  return schemaErrors("io.k8s.api.admissionregistration.v1.ParamRef", ref, {
    field: "spec.paramRef",
    code: { nameOrSelector: ({ field }) => validateNameOrSelector(field, ref) },
  });
}

function validateNameOrSelector(path: string, ref: JsonObject): FieldError[] {
  const name = textAt(ref, "name");
  const selector = objectAt(ref, "selector");
  const errors: FieldError[] = [];
  if (name !== "") {
    append(
      errors,
      isPathSegmentName(name, false).map((text) => invalid(`${path}.name`, name, text)),
    );
    if (selector) errors.push(forbidden(`${path}.name`, EXCLUSIVE));
  }
  append(errors, validateLabelSelector(`${path}.selector`, selector));
  if (selector && name !== "") errors.push(forbidden(`${path}.selector`, EXCLUSIVE));
  if (!selector && name === "") errors.push(required(path, "one of name or selector must be specified"));
  return errors;
}

/** The kind of the parameters as a table shows it. */
export function showParamKind(spec: JsonObject | undefined): string {
  const kind = objectAt(spec, "paramKind");
  return kind ? `${textAt(kind, "apiVersion")}/${textAt(kind, "kind")}` : "<unset>";
}

/** The parameters of a binding as a table shows them. */
export function showParamRef(spec: JsonObject | undefined): string {
  const ref = objectAt(spec, "paramRef");
  const name = textAt(ref, "name");
  if (name !== "") return `${textAt(ref, "namespace") || "*"}/${name}`;
  const selector = objectAt(ref, "selector");
  return selector ? formatSelectorStruct(selector) : "<unset>";
}
