// Rules of Roles and ClusterRoles: how they are read from an object, and what they allow. Nothing is ever denied by a
// rule; what none of them allows is refused.
import { isObject } from "../../../meta/json.ts";
import type { AccessAttributes, PolicyRule } from "../../../registry/definition/access.ts";

const ALL = "*";

/** The rules of a decoded Role or ClusterRole; a member of another form counts as absent. */
export function readRules(value: unknown): readonly PolicyRule[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).map((rule) => ({
    verbs: textList(rule["verbs"]),
    apiGroups: textList(rule["apiGroups"]),
    resources: textList(rule["resources"]),
    resourceNames: textList(rule["resourceNames"]),
    nonResourceURLs: textList(rule["nonResourceURLs"]),
  }));
}

function textList(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

export function ruleAllows(rule: PolicyRule, attributes: AccessAttributes): boolean {
  if (!rule.verbs.includes(attributes.verb) && !rule.verbs.includes(ALL)) return false;
  if (attributes.type === "path") return rule.nonResourceURLs.some((url) => pathCovers(url, attributes.path));
  const { group, resource, subresource, name } = attributes;
  return (
    (rule.apiGroups.includes(group) || rule.apiGroups.includes(ALL)) &&
    rule.resources.some((own) => resourceMatches(own, resource, subresource)) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(name))
  );
}

/** "pods/status" is named in full, or as any resource's: * and * before the slash. */
function resourceMatches(own: string, resource: string, subresource: string): boolean {
  if (own === ALL) return true;
  if (subresource === "") return own === resource;
  return own === `${resource}/${subresource}` || own === `*/${subresource}`;
}

/** Whether a path, or a pattern of paths, lies in the pattern: a star at the end stands for anything. */
export function pathCovers(pattern: string, path: string): boolean {
  if (pattern === path || pattern === ALL) return true;
  return pattern.endsWith(ALL) && path.startsWith(pattern.replace(/\*+$/, ""));
}
