// Restores missing parts of a bootstrap role or binding, as upstream's reconciliation
// (pkg/registry/rbac/reconciliation). Additions are kept. An object whose autoupdate annotation is "false" is not
// changed.
import { cloneJson, equalJson, isObject, objectAt } from "../../../apimachinery/json/json.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import type { PolicyRule } from "../../registry/definition/request-context.ts";
import { AUTO_UPDATE } from "./bootstrap-policy.ts";
import { readRules, uncoveredRules } from "./policy-rule.ts";

/** The write that restores the object. A binding to another role is deleted and created: its roleRef is immutable. */
export type Reconciliation =
  | { readonly type: "update"; readonly object: KubeObject }
  | { readonly type: "recreate" };

/** undefined: the stored object contains everything that is wanted. */
export function reconcilePolicyObject(
  stored: Readonly<KubeObject>,
  wanted: Readonly<KubeObject>,
): Reconciliation | undefined {
  if (stored.metadata.annotations?.[AUTO_UPDATE] === "false") return undefined;
  if (!equalJson(stored["roleRef"], wanted["roleRef"])) return { type: "recreate" };
  const object: KubeObject = cloneJson(stored);
  const changes = [
    addRules(object, wanted),
    addSelectors(object, wanted),
    addMissing(object, wanted, "subjects", subjectName),
    addMetadata(object, wanted, "labels"),
    addMetadata(object, wanted, "annotations"),
  ];
  return changes.includes(true) ? { type: "update", object } : undefined;
}

/** A missing rule is added as one rule for each verb on each resource that is not covered. */
function addRules(object: KubeObject, wanted: Readonly<KubeObject>): boolean {
  if (equalJson(object["rules"] ?? null, wanted["rules"] ?? null)) return false;
  const missing = uncoveredRules(readRules(object["rules"]), readRules(wanted["rules"]));
  if (missing.length > 0) object["rules"] = [...listOf(object["rules"]), ...missing.map(writtenRule)];
  return missing.length > 0;
}

const writtenRule = (rule: PolicyRule): object =>
  Object.fromEntries(Object.entries(rule).filter(([, values]) => values.length > 0));

function addSelectors(object: KubeObject, wanted: Readonly<KubeObject>): boolean {
  const selectorsOf = (of: Readonly<KubeObject>): readonly unknown[] =>
    listOf(objectAt(of, "aggregationRule")?.["clusterRoleSelectors"]);
  const present = selectorsOf(object);
  const missing = selectorsOf(wanted).filter(
    (selector) => !present.some((other) => equalJson(other, selector)),
  );
  if (missing.length > 0) object["aggregationRule"] = { clusterRoleSelectors: [...present, ...missing] };
  return missing.length > 0;
}

function addMissing(
  object: KubeObject,
  wanted: Readonly<KubeObject>,
  member: string,
  nameOf: (item: unknown) => string,
): boolean {
  const present = new Set(listOf(object[member]).map(nameOf));
  const missing = listOf(wanted[member]).filter((item) => !present.has(nameOf(item)));
  if (missing.length > 0) object[member] = [...listOf(object[member]), ...missing];
  return missing.length > 0;
}

function addMetadata(
  object: KubeObject,
  wanted: Readonly<KubeObject>,
  member: "labels" | "annotations",
): boolean {
  const present = object.metadata[member] ?? {};
  const missing = Object.entries(wanted.metadata[member] ?? {}).filter(([key]) => !(key in present));
  if (missing.length > 0) object.metadata[member] = { ...present, ...Object.fromEntries(missing) };
  return missing.length > 0;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const subjectName = (subject: unknown): string =>
  isObject(subject) ? `${subject["kind"]} ${subject["namespace"] ?? ""}/${subject["name"]}` : "";
