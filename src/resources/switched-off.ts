// Members of built-in types whose features a real server has switched off, as long as it is not told otherwise. Schemas state
// them at members beside the published ones:
//
//   x-egret-off: true               the member is dropped from what is written, unless some such member of the object
//                                   was there before
//   x-egret-off: holder             the struct that holds it is dropped with it, where nothing else is in it
import { isObject, type JsonObject } from "../meta/json.ts";
import { goMembers, structNamedBy } from "../schema/go/go-struct.ts";
import { schemaLibrary } from "../schema/go/schema-library.ts";

interface Plan {
  readonly type: string;
  readonly off: string[];
  /** Members that may take their struct with them. */
  readonly takingHolder: Set<string>;
  /** Members that are structs with such members, or lists of such. */
  readonly structs: { readonly name: string; readonly plan: Plan }[];
}

const isIdle = ({ off, structs }: Plan): boolean => off.length + structs.length === 0;

/** Takes such members out of a value of a type (its OpenAPI name), down to the structs in it. */
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

/** Whether the struct is to go as well. */
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
  plans.set(type, plan); // a type that holds itself ends here
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
