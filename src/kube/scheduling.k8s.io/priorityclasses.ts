// PriorityClass: priority of pods, by name. Names with the prefix system- are reserved for two classes that every cluster
// has.

import { type JsonObject, numberAt } from "../../apimachinery/json/json.ts";
import { type FieldError, forbidden } from "../../apimachinery/meta/field-error.ts";
import type { Strategy } from "../../apiserver/registry/definition/resource-definition.ts";
import { validateSame } from "../../apiserver/registry/strategy/checks.ts";
import {
  AGE,
  booleanColumn,
  column,
  integerColumn,
  NAME,
} from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { isTrue, nameOf } from "../../apiserver/registry/strategy/fields.ts";

const SYSTEM_PREFIX = "system-";
const SYSTEM_VALUES: ReadonlyMap<string, number> = new Map([
  ["system-node-critical", 2_000_001_000],
  ["system-cluster-critical", 2_000_000_000],
]);
const USER_VALUE_MAX = 1_000_000_000;

const importanceOf = (object: Readonly<JsonObject>): number => numberAt(object, "value") ?? 0;

function validateValue(object: Readonly<JsonObject>, name: string): FieldError[] {
  if (name.startsWith(SYSTEM_PREFIX)) {
    const complaint = systemComplaint(object, name);
    if (complaint === undefined) return [];
    const rule = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${complaint}`;
    return [forbidden("metadata.name", rule)];
  }
  if (importanceOf(object) <= USER_VALUE_MAX) return [];
  return [forbidden("value", `maximum allowed value of a user defined priority is ${USER_VALUE_MAX}`)];
}

function systemComplaint(object: Readonly<JsonObject>, name: string): string | undefined {
  const value = SYSTEM_VALUES.get(name);
  if (value === undefined) return `${name} is not a known system priority class`;
  if (importanceOf(object) !== value) return `value of ${name} PriorityClass must be ${value}`;
  if (isTrue(object, "globalDefault")) return `globalDefault of ${name} PriorityClass must be false`;
  return undefined;
}

const strategy: Strategy = {
  allowUnconditionalUpdate: true,
  /** The generation is constant: mutable fields are informational only. */
  prepareForCreate(object) {
    object.metadata.generation = 1;
  },
  validateUpdate: (object, old) => [
    ...(importanceOf(object) === importanceOf(old)
      ? []
      : [forbidden("value", "may not be changed in an update.")]),
    ...validateSame("preemptionPolicy", object["preemptionPolicy"], old["preemptionPolicy"]),
  ],
};

export const priorityClasses = builtIn("scheduling.k8s.io/v1", "PriorityClass", {
  shortNames: ["pc"],
  namespaceScoped: false,
  columns: [
    NAME,
    integerColumn("Value", "The importance; the greater, the more.", importanceOf),
    booleanColumn("Global-Default", "Whether pods that name no class get this one.", (object) =>
      isTrue(object, "globalDefault"),
    ),
    AGE,
    column("PreemptionPolicy", "Whether pods of the class push out less important ones.", "preemptionPolicy"),
  ],
  strategy,
  rules: { value: ({ owner }) => validateValue(owner, nameOf(owner)) },
});
