// Rules of Roles and ClusterRoles: how they are read from an object, what they allow, and which of some go beyond others.
// Nothing is ever denied by a rule; what none of them allows is refused.

import { goQuote } from "../../../go/strconv.ts";
import { isObject, type JsonObject, textsAt } from "../../../meta/json.ts";
import type { AccessAttributes, PolicyRule } from "../../../registry/definition/request-context.ts";

const ALL = "*";

/** The rules of a decoded Role or ClusterRole; a member of another form counts as absent. */
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

const NO_RULE: PolicyRule = readRule({});

/**
 * What of the wanted rules goes beyond the held ones: nobody may hand out more than he has. Rules are broken down until
 * each is one verb on one thing, because then one held rule covers it whole or not at all.
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

/** Rules as messages show them, sorted: what concerns one resource in one line with all its verbs. */
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
