// At each start the default roles and bindings are brought up to date: what is missing in them is added, what somebody
// has added stays. An object whose autoupdate annotation says "false" is left alone.
import { cloneJson, isObject } from "../../../meta/json.ts";
import type { KubeObject } from "../../../meta/object-meta.ts";
import { AUTO_UPDATE } from "./bootstrap-roles.ts";
import { readRules } from "./policy-rule.ts";
import { uncoveredRules } from "./rule-cover.ts";

/** The stored object with what it lacks of the wanted one; undefined when it lacks nothing. */
export function reconcilePolicyObject(
  stored: Readonly<KubeObject>,
  wanted: Readonly<KubeObject>,
): KubeObject | undefined {
  if (stored.metadata.annotations?.[AUTO_UPDATE] === "false") return undefined;
  const mended: KubeObject = cloneJson(stored);
  const changes = [
    addRules(mended, wanted),
    addSubjects(mended, wanted),
    addMarks(mended, wanted, "labels"),
    addMarks(mended, wanted, "annotations"),
  ];
  return changes.includes(true) ? mended : undefined;
}

function addRules(object: KubeObject, wanted: Readonly<KubeObject>): boolean {
  const held = readRules(object["rules"]);
  const missing = listOf(wanted["rules"]).filter(
    (rule) => uncoveredRules(held, readRules([rule])).length > 0,
  );
  if (missing.length > 0) object["rules"] = [...listOf(object["rules"]), ...missing];
  return missing.length > 0;
}

function addSubjects(object: KubeObject, wanted: Readonly<KubeObject>): boolean {
  const present = listOf(object["subjects"]);
  const known = new Set(present.map(subjectName));
  const missing = listOf(wanted["subjects"]).filter((subject) => !known.has(subjectName(subject)));
  if (missing.length > 0) object["subjects"] = [...present, ...missing];
  return missing.length > 0;
}

function addMarks(
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
