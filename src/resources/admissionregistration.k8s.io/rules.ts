// Which requests a webhook or a policy is about: what is done, to which resources.

import { duplicate, type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import type { JsonObject } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { isPathSegmentName } from "../../meta/names.ts";
import { objectsAt, setDefault, textsAt } from "../fields.ts";

const OPERATIONS = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
/** What a mutating policy can be about. */
export const MUTATING_OPERATIONS = ["*", "CREATE", "UPDATE"];
const SCOPES = ["*", "Cluster", "Namespaced"];

export function defaultRules(owner: JsonObject, member: string): void {
  for (const rule of objectsAt(owner, member)) setDefault(rule, "scope", "*");
}

/** The rules at the member, whose path is given. */
export function validateRules(owner: JsonObject, member: string, path: string): FieldError[] {
  return objectsAt(owner, member).flatMap((rule, index) => {
    const field = `${path}.${member}[${index}]`;
    return [...validateNames(rule, `${field}.resourceNames`), ...validateRule(rule, field)];
  });
}

/** Operations that are none for the kind are told at the rules as a whole. */
export function validateOperations(
  owner: JsonObject,
  member: string,
  path: string,
  allowed: readonly string[],
): FieldError[] {
  return objectsAt(owner, member)
    .flatMap((rule) => textsAt(rule, "operations"))
    .filter((operation) => !allowed.includes(operation))
    .map((operation) => notSupported(`${path}.${member}.operations`, operation, allowed));
}

function validateNames(rule: JsonObject, field: string): FieldError[] {
  const seen = new Set<string>();
  return textsAt(rule, "resourceNames").flatMap((name, index) => {
    const errors = isPathSegmentName(name, false).map((text) => invalid(`${field}[${index}]`, name, text));
    if (seen.has(name)) errors.push(duplicate(`${field}[${index}]`, name));
    seen.add(name);
    return errors;
  });
}

function validateRule(rule: JsonObject, field: string): FieldError[] {
  const operations = textsAt(rule, "operations");
  const versions = textsAt(rule, "apiVersions");
  const errors = validateChoice(operations, `${field}.operations`, "operations");
  operations.forEach((operation, index) => {
    if (!OPERATIONS.includes(operation))
      errors.push(notSupported(`${field}.operations[${index}]`, operation, OPERATIONS));
  });
  append(
    errors,
    validateChoice(textsAt(rule, "apiGroups"), `${field}.apiGroups`, "API groups"),
    validateChoice(versions, `${field}.apiVersions`, "API versions"),
  );
  versions.forEach((version, index) => {
    if (version === "") errors.push(required(`${field}.apiVersions[${index}]`));
  });
  append(errors, validateResources(textsAt(rule, "resources"), `${field}.resources`));
  const { scope } = rule;
  if (scope !== undefined && !SCOPES.includes(String(scope)))
    errors.push(notSupported(`${field}.scope`, scope, SCOPES));
  return errors;
}

/** At least one, and nothing beside the star. */
function validateChoice(values: readonly string[], field: string, what: string): FieldError[] {
  if (values.length === 0) return [required(field)];
  if (values.length === 1 || !values.includes("*")) return [];
  return [invalid(field, values, `if '*' is present, must not specify other ${what}`)];
}

function validateResources(resources: readonly string[], field: string): FieldError[] {
  if (resources.length === 0) return [required(field)];
  const errors: FieldError[] = [];
  const wholes = new Set<string>(); // pods of pods/*
  const everywhere = new Set<string>(); // status of */status
  let plain = false; // of the last one that names no subresource
  for (const [index, resource] of resources.entries()) {
    const at = `${field}[${index}]`;
    if (resource === "") {
      errors.push(required(at));
      continue;
    }
    const slash = resource.indexOf("/");
    if (slash < 0) {
      plain = resource !== "*";
      continue;
    }
    const [main, sub] = [resource.slice(0, slash), resource.slice(slash + 1)];
    const covers = (by: string) => `if '${by}' is present, must not specify ${resource}`;
    if (wholes.has(main)) errors.push(invalid(at, resource, covers(`${main}/*`)));
    if (everywhere.has(sub)) errors.push(invalid(at, resource, covers(`*/${sub}`)));
    if (sub === "*") wholes.add(main);
    if (main === "*") everywhere.add(sub);
  }
  if (resources.length > 1 && resources.includes("*/*"))
    errors.push(invalid(field, resources, "if '*/*' is present, must not specify other resources"));
  if (resources.includes("*") && plain) {
    const detail = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalid(field, resources, detail));
  }
  return errors;
}
