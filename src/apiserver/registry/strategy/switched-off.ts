// Members of built-in types behind feature gates that are off by default upstream. Schemas declare them under keys besides
// the published ones:
//
//   x-egret-off: true               the member is dropped on write, unless the old object uses the same member of that type
//   x-egret-off: holder             its struct is dropped as well, if that is empty then
import { isObject, type JsonObject } from "../../../apimachinery/json/json.ts";
import { goMembers, structNamedBy } from "../../../apimachinery/schema/go/go-struct.ts";
import { schemaLibrary } from "../../../apimachinery/schema/go/schema-library.ts";

interface Plan {
  readonly type: string;
  readonly off: string[];
  /** Members whose removal can remove their struct. */
  readonly takingHolder: Set<string>;
  /** Members that are structs with such members, or lists of such. */
  readonly structs: { readonly name: string; readonly plan: Plan }[];
}

const isIdle = ({ off, structs }: Plan): boolean => off.length + structs.length === 0;

/** Drops such members from a value of a type (OpenAPI name), including nested structs. */
export function dropSwitchedOff(type: string, value: JsonObject, old: Readonly<JsonObject> = {}): void {
  const plan = planOf(type);
  if (isIdle(plan)) return;
  const used = new Set<string>();
  collectUsed(plan, old, used);
  drop(plan, value, used);
}

const nameOf = ({ type }: Plan, member: string): string => `${type}.${member}`;

const structsIn = (value: unknown): JsonObject[] => [value].flat().filter((item) => isObject(item));

function collectUsed(plan: Plan, value: Readonly<JsonObject>, used: Set<string>): void {
  for (const member of plan.off) {
    if ((value[member] ?? undefined) !== undefined) used.add(nameOf(plan, member));
  }
  for (const { name, plan: below } of plan.structs) {
    for (const item of structsIn(value[name])) collectUsed(below, item, used);
  }
}

/** Returns whether the struct itself must be dropped. */
function drop(plan: Plan, value: JsonObject, used: ReadonlySet<string>): boolean {
  let takesHolder = false;
  for (const member of plan.off) {
    if ((value[member] ?? undefined) === undefined || used.has(nameOf(plan, member))) continue;
    delete value[member];
    takesHolder ||= plan.takingHolder.has(member);
  }
  for (const { name, plan: below } of plan.structs) {
    for (const item of structsIn(value[name])) {
      if (drop(below, item, used) && item === value[name]) delete value[name];
    }
  }
  return takesHolder && Object.keys(value).length === 0;
}

const plans = new Map<string, Plan>();

function planOf(type: string): Plan {
  const known = plans.get(type);
  if (known !== undefined) return known;
  const plan: Plan = { type, off: [], takingHolder: new Set(), structs: [] };
  plans.set(type, plan); // ends the recursion of a recursive type
  for (const [name, schema] of goMembers(schemaLibrary().definition(type) ?? {})) {
    const off = schema["x-egret-off"];
    if (off !== undefined) plan.off.push(name);
    if (off === "holder") plan.takingHolder.add(name);
    const struct = structNamedBy(schema);
    const below = struct === undefined ? undefined : planOf(struct);
    if (below && !isIdle(below)) plan.structs.push({ name, plan: below });
  }
  return plan;
}
