// Rules of policies and webhooks: which operations on which resources they take in.
import { type JsonObject, textOf, textsOf } from "../../meta/json.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import type { WriteRequest } from "./request.ts";

export interface Rule {
  readonly operations: readonly string[];
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  readonly resources: readonly (readonly [resource: string, subresource: string])[];
  readonly scope: string;
  /** Empty: all. */
  readonly names: readonly string[];
}

export function readRule(rule: JsonObject): Rule {
  return {
    operations: textsOf(rule["operations"]),
    groups: textsOf(rule["apiGroups"]),
    versions: textsOf(rule["apiVersions"]),
    resources: textsOf(rule["resources"]).map((text) => {
      const [resource = "", ...rest] = text.split("/");
      return [resource, rest.join("/")];
    }),
    scope: textOf(rule["scope"]) || "*",
    names: textsOf(rule["resourceNames"]),
  };
}

const takes = (items: readonly string[], item: string): boolean =>
  items.includes("*") || items.includes(item);

/** The view of the request that one of the rules names: its own, else with `equivalent` another of the same objects. */
export function matchRules(
  rules: readonly Rule[],
  equivalent: boolean,
  request: WriteRequest,
): ResourceView | undefined {
  const { view } = request.attributes;
  if (rules.some((rule) => matchesRule(rule, request, view))) return view;
  if (!equivalent || rules.length === 0) return undefined;
  const others = request.equivalents();
  for (const rule of rules) {
    const found = others.find((other) => matchesRule(rule, request, other));
    if (found) return found;
  }
  return undefined;
}

function matchesRule(rule: Rule, request: WriteRequest, { definition, version }: ResourceView): boolean {
  const { operation, subresource, name } = request.attributes;
  return (
    matchesScope(rule.scope, request) &&
    takes(rule.operations, operation) &&
    takes(rule.groups, definition.group) &&
    takes(rule.versions, version.name) &&
    rule.resources.some(
      ([resource, sub]) =>
        (resource === "*" || resource === definition.resource) && (sub === "*" || sub === subresource),
    ) &&
    (rule.names.length === 0 || rule.names.includes(name))
  );
}

function matchesScope(scope: string, { namespace, isNamespace }: WriteRequest): boolean {
  const inside = namespace !== "" && !isNamespace;
  return scope === "*" || (scope === "Namespaced" ? inside : !inside);
}
