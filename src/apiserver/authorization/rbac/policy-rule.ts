// Rules of Roles and ClusterRoles: decoding, evaluation, and the escalation check. Rules only allow; without a
// matching rule the request is denied.

import { goQuote } from "../../../apimachinery/go/strconv.ts";
import { isObject, type JsonObject, textsAt } from "../../../apimachinery/json/json.ts";
import type { AccessAttributes, PolicyRule } from "../../registry/definition/request-context.ts";

const ALL = "*";

/** The rules of a decoded Role or ClusterRole; an invalid member counts as absent. */
export function readRules(value: unknown): readonly PolicyRule[] {
  return Array.isArray(value) ? value.filter(isObject).map(readRule) : [];
}

function readRule(rule: JsonObject): PolicyRule {
  return {
    verbs: textsAt(rule, "verbs"),
    apiGroups: textsAt(rule, "apiGroups"),
    resources: textsAt(rule, "resources"),
    resourceNames: textsAt(rule, "resourceNames"),
    nonResourceURLs: textsAt(rule, "nonResourceURLs"),
  };
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

/** A rule matches "pods/status" by its full name, by "*", or by a star before the slash. */
function resourceMatches(own: string, resource: string, subresource: string): boolean {
  if (own === ALL) return true;
  if (subresource === "") return own === resource;
  return own === `${resource}/${subresource}` || own === `*/${subresource}`;
}

/** Whether the pattern covers a path or another pattern; a trailing star matches any suffix. */
export function pathCovers(pattern: string, path: string): boolean {
  if (pattern === path || pattern === ALL) return true;
  return pattern.endsWith(ALL) && path.startsWith(pattern.replace(/\*+$/, ""));
}

const NO_RULE: PolicyRule = readRule({});

/**
 * The wanted rules that the held rules do not cover, as for the escalation check. Rules are split until each has one
 * verb on one resource, which a single held rule covers entirely or not at all.
 */
export function uncoveredRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(atomsOf).filter((atom) => !held.some((rule) => covers(rule, atom)));
}

function atomsOf(rule: PolicyRule): PolicyRule[] {
  const atoms: PolicyRule[] = [];
  const names = rule.resourceNames.length > 0 ? rule.resourceNames.map((name) => [name]) : [[]];
  for (const group of rule.apiGroups)
    for (const resource of rule.resources)
      for (const verb of rule.verbs)
        for (const resourceNames of names)
          atoms.push({ ...NO_RULE, verbs: [verb], apiGroups: [group], resources: [resource], resourceNames });
  for (const url of rule.nonResourceURLs)
    for (const verb of rule.verbs) atoms.push({ ...NO_RULE, verbs: [verb], nonResourceURLs: [url] });
  return atoms;
}

function covers(held: PolicyRule, atom: PolicyRule): boolean {
  const has = (own: readonly string[], asked: readonly string[]) =>
    own.includes(ALL) || asked.every((item) => own.includes(item));
  return (
    has(held.verbs, atom.verbs) &&
    has(held.apiGroups, atom.apiGroups) &&
    atom.resources.every((resource) => coversResource(held.resources, resource)) &&
    (held.resourceNames.length === 0 ||
      (atom.resourceNames.length > 0 &&
        atom.resourceNames.every((name) => held.resourceNames.includes(name)))) &&
    atom.nonResourceURLs.every((url) => held.nonResourceURLs.some((own) => pathCovers(own, url)))
  );
}

function coversResource(held: readonly string[], resource: string): boolean {
  if (held.includes(ALL) || held.includes(resource)) return true;
  const slash = resource.indexOf("/");
  return slash >= 0 && held.includes(`*${resource.slice(slash)}`);
}

/** Rules as messages show them, sorted: one line per resource with all of its verbs. */
export function describeRules(rules: readonly PolicyRule[]): string[] {
  return [...new Set(joinVerbs(rules).map(describeRule))].sort();
}

function joinVerbs(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const joined = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const onPath = rule.nonResourceURLs.length > 0;
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames, onPath ? rule : ""]);
    const known = joined.get(key);
    joined.set(key, known ? { ...known, verbs: [...known.verbs, ...rule.verbs] } : rule);
  }
  return [...joined.values()];
}

const SHOWN = [
  ["APIGroups", "apiGroups"],
  ["Resources", "resources"],
  ["NonResourceURLs", "nonResourceURLs"],
  ["ResourceNames", "resourceNames"],
  ["Verbs", "verbs"],
] as const;

function describeRule(rule: PolicyRule): string {
  const parts = SHOWN.filter(([, key]) => rule[key].length > 0);
  return `{${parts.map(([label, key]) => `${label}:${quoteList(rule[key])}`).join(", ")}}`;
}

/** A list as Go's %q prints it. */
export function quoteList(texts: readonly string[]): string {
  return `[${texts.map(goQuote).join(" ")}]`;
}
