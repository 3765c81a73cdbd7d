// Defaults that schemas state at members beside the published ones, under x-egret-default. They are filled in where there is
// no value; where the member is no pointer in Go, an empty text and 0 are none.
import { cloneJson, isObject, type JsonObject } from "../meta/json.ts";
import { goMembers } from "../schema/go/go-struct.ts";
import { schemaLibrary } from "../schema/go/schema-library.ts";
import { structNamedBy } from "./schema-rules.ts";

interface Plan {
  readonly defaults: { readonly name: string; readonly usual: unknown; readonly isPointer: boolean }[];
  /** Members that are structs with defaults, or lists of such. */
  readonly structs: { readonly name: string; readonly type: string }[];
}

/** Fills in what a value of a type (its OpenAPI name) leaves out, down to the structs in it. */
export function applySchemaDefaults(type: string, value: JsonObject): void {
  const { defaults, structs } = planOf(type);
  for (const { name, usual, isPointer } of defaults) {
    const given = value[name];
    if (given === undefined || given === null || (!isPointer && (given === "" || given === 0))) {
      value[name] = cloneJson(usual);
    }
  }
  for (const member of structs) {
    for (const item of [value[member.name]].flat()) {
      if (isObject(item)) applySchemaDefaults(member.type, item);
    }
  }
}

const plans = new Map<string, Plan>();

function planOf(type: string): Plan {
  const known = plans.get(type);
  if (known !== undefined) return known;
  const plan: Plan = { defaults: [], structs: [] };
  plans.set(type, plan); // a type that holds itself ends here
  for (const [name, schema] of goMembers(schemaLibrary().definition(type) ?? {})) {
    const usual = schema["x-egret-default"];
    if (usual !== undefined) {
      plan.defaults.push({ name, usual, isPointer: schema["x-egret-pointer"] === true });
    }
    const struct = structNamedBy(schema);
    const ofStruct = struct === undefined ? undefined : planOf(struct);
    if (struct !== undefined && ofStruct && ofStruct.defaults.length + ofStruct.structs.length > 0) {
      plan.structs.push({ name, type: struct });
    }
  }
  return plan;
}
