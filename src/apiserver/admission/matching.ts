// Matching of policies, bindings and webhooks: namespace and object selectors, and rules with operations and
// resources. A namespace selector that cannot be evaluated is an error only for requests that the rules match.
import { type JsonObject, objectsAt, textAt, textsAt } from "../../apimachinery/json/json.ts";
import { type LabelSelector, labelSelectorFromObject } from "../../apimachinery/meta/label-selector.ts";
import type { ResourceDefinition, ResourceView } from "../registry/definition/resource-definition.ts";
import { ADMISSION_GROUP, labelsOf, type WriteRequest } from "./request.ts";

/** Policies and webhooks are exempt from admission, so that one that rejects everything can be removed. */
export const isExempt = ({ group }: ResourceDefinition): boolean => group === ADMISSION_GROUP;

/**
 * Policies do not apply to reviews (kubeapiserver/admission/exclusion): a policy that rejects them would lock out
 * all users. Webhooks do apply.
 */
export const isExemptFromPolicies = ({ review }: ResourceDefinition): boolean => review !== undefined;

export interface Matching {
  readonly namespaces: LabelSelector;
  readonly objects: LabelSelector;
  readonly rules: readonly Rule[];
  readonly excluded: readonly Rule[];
  /** matchPolicy Equivalent: rules also match requests for other versions of their resources. */
  readonly equivalent: boolean;
  /** Without rules everything matches. */
  readonly all: boolean;
}

/** Matching of a policy or a binding. */
export function readMatchResources(source: JsonObject): Matching {
  const matching = readMatching(source, "resourceRules");
  return { ...matching, all: matching.rules.length === 0 };
}

export const readWebhookMatching = (webhook: JsonObject): Matching => readMatching(webhook, "rules");

function readMatching(source: JsonObject, rules: string): Matching {
  return {
    namespaces: labelSelectorFromObject(source["namespaceSelector"] ?? {}),
    objects: labelSelectorFromObject(source["objectSelector"] ?? {}),
    rules: objectsAt(source, rules).map(readRule),
    excluded: objectsAt(source, "excludeResourceRules").map(readRule),
    equivalent: source["matchPolicy"] !== "Exact",
    all: false,
  };
}

/**
 * The view in which a policy or webhook sees the request; undefined when it does not match. Throws a 404 for a
 * missing namespace.
 */
export function matchRequest(matching: Matching, request: WriteRequest): ResourceView | undefined {
  const inNamespace = matchesNamespace(matching.namespaces, request);
  if (inNamespace === false || !matchesObject(matching.objects, request)) return undefined;
  if (matchRules(matching.excluded, matching.equivalent, request)) return undefined;
  const view = matching.all
    ? request.attributes.view
    : matchRules(matching.rules, matching.equivalent, request);
  if (view !== undefined && inNamespace === undefined) throw request.noNamespace();
  return view;
}

/** undefined: the namespace does not exist. */
function matchesNamespace(selector: LabelSelector, request: WriteRequest): boolean | undefined {
  if (selector.isEmpty || request.namespace === "") return true;
  const { operation, subresource, object } = request.attributes;
  if (request.isNamespace && subresource === "" && operation !== "DELETE")
    return selector.matches(labelsOf(object));
  const stored = request.storedNamespace(request.namespace);
  return stored && selector.matches(labelsOf(stored));
}

function matchesObject(selector: LabelSelector, { attributes }: WriteRequest): boolean {
  if (selector.isEmpty) return true;
  return [attributes.object, attributes.oldObject].some(
    (object) => object?.metadata !== undefined && selector.matches(labelsOf(object)),
  );
}

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
    operations: textsAt(rule, "operations"),
    groups: textsAt(rule, "apiGroups"),
    versions: textsAt(rule, "apiVersions"),
    resources: textsAt(rule, "resources").map((text) => {
      const [resource = "", ...rest] = text.split("/");
      return [resource, rest.join("/")];
    }),
    scope: textAt(rule, "scope") || "*",
    names: textsAt(rule, "resourceNames"),
  };
}

const takes = (items: readonly string[], item: string): boolean =>
  items.includes("*") || items.includes(item);

/** The view that a rule matches: that of the request, else with `equivalent` another version of the same objects. */
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
