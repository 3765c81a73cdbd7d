// Defaults in schemas, under keys besides the published ones:
//
//   x-egret-default: TCP            default of an unset member; a struct that is set keeps its members and gets the others.
//                                   Where the member is no pointer in Go, an empty value or 0 counts as unset
//   x-egret-default-when: {…}       condition on the other members before defaulting, in the form of the rules' conditions
import { inThousandths } from "../../../apimachinery/go/quantity.ts";
import { cloneJson, isObject, type JsonObject } from "../../../apimachinery/json/json.ts";
import { goMembers, structNamedBy } from "../../../apimachinery/schema/go/go-struct.ts";
import { schemaLibrary } from "../../../apimachinery/schema/go/schema-library.ts";
import { type Conditions, isNothing, isSo } from "./schema-rules.ts";

interface Default {
  readonly name: string;
  readonly usual: unknown;
  readonly mayBeZero: boolean;
  readonly when: Conditions | undefined;
}

interface Plan {
  readonly defaults: Default[];
  /** Members that are quantities by resource name: they are stored in thousandths. */
  readonly amounts: string[];
  /** Members that are structs with defaults, or lists of such. */
  readonly structs: { readonly name: string; readonly type: string }[];
}

/** Sets the defaults of a value by its type (OpenAPI name), including nested structs. */
export function applySchemaDefaults(type: string, value: JsonObject): void {
  const { defaults, amounts, structs } = planOf(type);
  const asked = defaults.filter(({ when }) => when === undefined || isSo(when, value));
  for (const { name, usual, mayBeZero } of asked) {
    const given = value[name] ?? undefined;
    if (given === undefined || (!mayBeZero && isNothing(given))) value[name] = cloneJson(usual);
    else if (isObject(usual) && isObject(given)) value[name] = { ...cloneJson(usual), ...given };
  }
  for (const name of amounts) roundAmounts(value[name]);
  for (const member of structs) {
    for (const item of [value[member.name]].flat()) {
      if (isObject(item)) applySchemaDefaults(member.type, item);
    }
  }
}

function roundAmounts(amounts: unknown): void {
  if (!isObject(amounts)) return;
  for (const [name, amount] of Object.entries(amounts)) {
    if (typeof amount === "string") amounts[name] = inThousandths(amount);
  }
}

const hasAny = ({ defaults, amounts, structs }: Plan): boolean =>
  defaults.length + amounts.length + structs.length > 0;

const plans = new Map<string, Plan>();

function planOf(type: string): Plan {
  const known = plans.get(type);
  if (known !== undefined) return known;
  const plan: Plan = { defaults: [], amounts: [], structs: [] };
  plans.set(type, plan); // ends the recursion of a recursive type
  for (const [name, schema] of goMembers(schemaLibrary().definition(type) ?? {})) {
    const { "x-egret-default": usual, "x-egret-default-when": when, "x-egret-pointer": pointer } = schema;
    if (usual !== undefined) {
      const mayBeZero = pointer === true || schema["type"] === undefined; // for example an int-or-string
      plan.defaults.push({ name, usual, mayBeZero, when: when as Conditions | undefined }); // the form is tested
    }
    const { additionalProperties } = schema;
    if (isObject(additionalProperties) && structNamedBy(additionalProperties)?.endsWith(".Quantity"))
      plan.amounts.push(name);
    const struct = structNamedBy(schema);
    const ofStruct = struct === undefined ? undefined : planOf(struct);
    if (struct !== undefined && ofStruct && hasAny(ofStruct)) {
      plan.structs.push({ name, type: struct });
    }
  }
  return plan;
}
