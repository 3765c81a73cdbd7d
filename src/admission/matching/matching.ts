// Whether a policy, a binding or a webhook is about a request: by the labels of the namespace and of the object, and by
// rules. What cannot be told is an error only for requests that the rules take in.
import { type JsonObject, objectsOf } from "../../meta/json.ts";
import { type LabelSelector, labelSelectorFromObject } from "../../meta/label-selector.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { labelsOf, type WriteRequest } from "./request.ts";
import { matchRules, type Rule, readRule } from "./rules.ts";

export interface Matching {
  readonly namespaces: LabelSelector;
  readonly objects: LabelSelector;
  readonly rules: readonly Rule[];
  readonly excluded: readonly Rule[];
  /** Rules also take in requests for other versions of their resources. */
  readonly equivalent: boolean;
  /** No rules take in everything. */
  readonly all: boolean;
}

/** Of a policy or a binding. */
export function readMatchResources(source: JsonObject): Matching {
  const rules = objectsOf(source["resourceRules"]).map(readRule);
  const excluded = objectsOf(source["excludeResourceRules"]).map(readRule);
  return { ...readSelectors(source), rules, excluded, all: rules.length === 0 };
}

export function readWebhookMatching(webhook: JsonObject): Matching {
  const rules = objectsOf(webhook["rules"]).map(readRule);
  return { ...readSelectors(webhook), rules, excluded: [], all: false };
}

function readSelectors(source: JsonObject) {
  return {
    namespaces: labelSelectorFromObject(source["namespaceSelector"] ?? {}),
    objects: labelSelectorFromObject(source["objectSelector"] ?? {}),
    equivalent: source["matchPolicy"] !== "Exact",
  };
}

/** The view through which the request is looked at; undefined when it is not. Throws a 404 for a missing namespace. */
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

/** undefined: the namespace is not there. */
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
    (object) => object !== undefined && selector.matches(labelsOf(object)),
  );
}
