// Which requests a webhook or a policy is about: what is done, to which resources.

import { duplicate, type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { isObject, type JsonObject, objectsAt, textsAt } from "../../meta/json.ts";
import { isPathSegmentName } from "../../meta/names.ts";
import { setDefault } from "../fields.ts";
import { validateLabelSelector } from "../label-selectors.ts";
import type { CodeRules, Place } from "../schema-rules.ts";

/** What a mutating policy can be about. */
export const MUTATING_OPERATIONS = ["*", "CREATE", "UPDATE"];

export function defaultRules(owner: JsonObject, member: string): void {
  for (const rule of objectsAt(owner, member)) setDefault(rule, "scope", "*");
}

/** What rules ask for beyond their schema. */
export const RULE_CODE: CodeRules = {
  resourceNames: ({ field, value }) => validateNames(textsOf(value), field),
  operations: (place) => lonelyStar(place, "operations", "operations"),
  apiGroups: (place) => lonelyStar(place, "apiGroups", "API groups"),
  apiVersions: (place) => lonelyStar(place, "apiVersions", "API versions"),
  resources: ({ field, value }) => validateResources(textsOf(value), field),
  selector: ({ field, value }) => validateLabelSelector(field, isObject(value) ? value : {}),
};

const textsOf = (value: unknown): string[] => [value].flat().map(String);

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

function validateNames(names: readonly string[], field: string): FieldError[] {
  const seen = new Set<string>();
  return names.flatMap((name, index) => {
    const errors = isPathSegmentName(name, false).map((text) => invalid(`${field}[${index}]`, name, text));
    if (seen.has(name)) errors.push(duplicate(`${field}[${index}]`, name));
    seen.add(name);
    return errors;
  });
}

/** There is nothing beside the star. */
function lonelyStar({ field, owner }: Place, member: string, what: string): FieldError[] {
  const values = textsAt(owner, member);
  if (values.length === 1 || !values.includes("*")) return [];
  return [invalid(`${field}.${member}`, values, `if '*' is present, must not specify other ${what}`)];
}

function validateResources(resources: readonly string[], field: string): FieldError[] {
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
