// FlowSchema: matches requests and assigns their priority level.

import {
  type JsonObject,
  lookupTable,
  numberAt,
  objectAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { conditionOf } from "../../apimachinery/meta/conditions.ts";
import { type FieldError, invalid, notSupported, required } from "../../apimachinery/meta/field-error.ts";
import { isDns1123Label } from "../../apimachinery/meta/names.ts";
import { notSupportedStruct } from "../../apiserver/registry/strategy/checks.ts";
import { AGE, column, NAME, numberIn } from "../../apiserver/registry/strategy/columns.ts";
import { isTrue, nameOf, specOf } from "../../apiserver/registry/strategy/fields.ts";
import type { CodeRules, Place } from "../../apiserver/registry/strategy/schema-rules.ts";
import { flowControlKind } from "./define-kind.ts";

const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

/** Names of the values next to "*" in messages. */
const OTHERS = lookupTable({ apiGroups: "api groups", nonResourceURLs: "non-resource URLs" });

const hasStar = (texts: readonly string[]): boolean => texts.includes("*");

/** "*" must be the only item; the member of the path names the items. */
function lonelyStar(field: string, texts: readonly string[]): FieldError[] {
  if (!hasStar(texts) || texts.length === 1) return [];
  const member = field.replace(/.*\./, "");
  const rule = `if '*' is present, must not specify other ${OTHERS[member] ?? member}`;
  return [invalid(field, texts, rule)];
}

function validateVerbs({ field, owner }: Place): FieldError[] {
  const verbs = textsAt(owner, "verbs");
  if (hasStar(verbs)) return lonelyStar(field, verbs);
  return verbs.every((verb) => VERBS.includes(verb)) ? [] : [notSupported(field, verbs, VERBS)];
}

const NAMESPACE_RULE = "each member of this list must be '*' or a DNS-1123 label; ";

function validateNamespaces({ field: rule, owner }: Place): FieldError[] {
  const field = `${rule}.namespaces`;
  const namespaces = textsAt(owner, "namespaces");
  if (namespaces.length === 0 && !isTrue(owner, "clusterScope")) {
    const missing = "resource rules that are not cluster scoped must supply at least one namespace";
    return [required(field, missing)];
  }
  if (hasStar(namespaces)) return lonelyStar(field, namespaces);
  return namespaces.flatMap((name, index) =>
    isDns1123Label(name).map((text) => invalid(`${field}[${index}]`, name, NAMESPACE_RULE + text)),
  );
}

function validateUrls({ field, owner }: Place): FieldError[] {
  const urls = textsAt(owner, "nonResourceURLs");
  if (hasStar(urls)) return lonelyStar(field, urls);
  return urls.flatMap((url, index) => {
    const complaint = urlComplaint(url);
    return complaint === undefined ? [] : [invalid(`${field}[${index}]`, url, complaint)];
  });
}

function urlComplaint(url: string): string | undefined {
  if (url === "") return "must not be empty";
  if (url === "/") return undefined;
  if (!url.startsWith("/")) return "must start with slash";
  if (url.includes(" ")) return "must not contain white-space";
  if (url.includes("//")) return "must not contain double slash";
  return url.replace(/\/\*$/, "").includes("*") ? "wildcard can only do suffix matching" : undefined;
}

const rules: CodeRules = {
  lonelyStar: ({ field, name, owner }) => lonelyStar(field, textsAt(owner, name)),
  verbs: validateVerbs,
  namespaces: validateNamespaces,
  urls: validateUrls,
  distinguisher: ({ field, value }) =>
    ["ByNamespace", "ByUser"].includes(String(value))
      ? []
      : [notSupportedStruct(field, { Type: value }, ["ByNamespace", "ByUser"])],
  /** Precedence 1 is reserved for the schema that exempts administrators. */
  first: ({ field, value, root }) => {
    const rule = "only the schema named 'exempt' may have matchingPrecedence 1";
    return nameOf(root) === "exempt" ? [] : [invalid(field, value, rule)];
  },
};

function danglingCell(object: Readonly<JsonObject>): string {
  const dangling = conditionOf(objectAt(object, "status"), "Dangling");
  return dangling === undefined ? "?" : textAt(dangling, "status");
}

export const flowSchemas = flowControlKind("FlowSchema", {
  columns: [
    NAME,
    column("PriorityLevel", "The level of the requests.", "spec.priorityLevelConfiguration.name"),
    column("MatchingPrecedence", "The least number counts.", numberIn("spec.matchingPrecedence")),
    column(
      "DistinguisherMethod",
      "How flows are told apart.",
      (object) => textAt(objectAt(specOf(object), "distinguisherMethod"), "type") || "<none>",
    ),
    AGE,
    column("MissingPL", "Whether the priority level is missing.", danglingCell),
  ],
  rowOrder: (object) => numberAt(specOf(object), "matchingPrecedence") ?? 0,
  rules,
});
