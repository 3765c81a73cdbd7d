// What the kinds of this group have in common: which requests a webhook, a policy or a binding is about.

import { duplicate, type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { type JsonObject, objectsAt, textsAt } from "../../meta/json.ts";
import { isPathSegmentName } from "../../meta/names.ts";
import type { ResourceDefinition } from "../../registry/definition/resource-definition.ts";
import { type BuiltInKind, builtIn } from "../define.ts";
import { setDefault } from "../fields.ts";
import type { CodeRules, Place } from "../schema-rules.ts";

export const ofAdmission = (kind: string, facts: BuiltInKind): ResourceDefinition =>
  builtIn("admissionregistration.k8s.io/v1", kind, {
    categories: ["api-extensions"],
    namespaceScoped: false,
    ...facts,
    strategy: { metadataChecksOnUpdate: ["new"], hasGeneration: true, ...facts.strategy },
  });

export function defaultMatching(
  matching: JsonObject | undefined,
  ruleMembers = ["resourceRules", "excludeResourceRules"],
): void {
  if (matching === undefined) return;
  setDefault(matching, "matchPolicy", "Equivalent");
  matching["namespaceSelector"] ??= {};
  matching["objectSelector"] ??= {};
  for (const rule of ruleMembers.flatMap((member) => objectsAt(matching, member))) {
    setDefault(rule, "scope", "*");
  }
}

/** What rules ask for beyond their schema. */
export const RULE_CODE: CodeRules = {
  resourceNames: ({ field, value }) => validateNames(textsOf(value), field),
  lonelyStar,
  resources: ({ field, value }) => validateResources(textsOf(value), field),
};

const textsOf = (value: unknown): string[] => [value].flat().map(String);

/** What a mutating policy can be about. */
const MUTATING_OPERATIONS = ["*", "CREATE", "UPDATE"];

/** Operations that no mutating policy is about are told at the rules as a whole. */
export function validateMutatingOperations(matching: JsonObject | undefined, path: string): FieldError[] {
  return objectsAt(matching, "resourceRules")
    .flatMap((rule) => textsAt(rule, "operations"))
    .filter((operation) => !MUTATING_OPERATIONS.includes(operation))
    .map((operation) => notSupported(`${path}.resourceRules.operations`, operation, MUTATING_OPERATIONS));
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

const SHOWN = new Map([
  ["apiGroups", "API groups"],
  ["apiVersions", "API versions"],
]);

/** There is nothing beside the star. */
function lonelyStar({ name, field, owner }: Place): FieldError[] {
  const values = textsAt(owner, name);
  if (values.length === 1 || !values.includes("*")) return [];
  const others = `other ${SHOWN.get(name) ?? name}`;
  return [invalid(`${field}.${name}`, values, `if '*' is present, must not specify ${others}`)];
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
