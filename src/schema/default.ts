// Structural defaulting: a default fills a missing field of a given object, at every depth, in items and map values too.
// A missing object gets no defaults inside unless it has a default of its own. A plan per node leads only where there
// are defaults, since most schemas have few.
import { cloneJson, isObject, type JsonObject, setOwn } from "../meta/json.ts";
import { typeFacts } from "./go/field-facts.ts";
import type { SchemaNode } from "./schema-node.ts";

/** Fills in what is missing; a null takes the default where the field is not nullable. Mutates. */
export function applyDefaults(node: SchemaNode, object: unknown): void {
  const plan = planOf(node);
  if (plan.isActive) fill(plan, object);
}

interface Default {
  readonly key: string;
  readonly value: unknown;
  readonly nullable: boolean;
}

interface DefaultPlan {
  /** There is a default here or below. */
  isActive: boolean;
  readonly defaults: Default[];
  readonly properties: Map<string, DefaultPlan>;
  /** All properties: the other keys are keys of a map. */
  readonly named: SchemaNode["properties"];
  additional: SlotPlan | undefined;
  items: SlotPlan | undefined;
}

/** Values of maps and items of lists: defaults below them, and one for a null that may not be there. */
interface SlotPlan {
  readonly plan: DefaultPlan;
  readonly forNull: unknown;
}

const plans = new WeakMap<SchemaNode, DefaultPlan>();

function planOf(node: SchemaNode): DefaultPlan {
  const known = plans.get(node);
  if (known !== undefined) return known;
  // What contains itself is taken as active until the whole of it is known.
  const plan: DefaultPlan = {
    isActive: true,
    defaults: [],
    properties: new Map(),
    named: node.properties,
    additional: undefined,
    items: undefined,
  };
  plans.set(node, plan);
  for (const [key, property] of node.properties) {
    if (
      property.default !== undefined &&
      property.default !== null &&
      !isInvisible(node, key, property.default)
    ) {
      plan.defaults.push({ key, value: property.default, nullable: property.nullable });
    }
    const below = planOf(property);
    if (below.isActive) plan.properties.set(key, below);
  }
  plan.additional = slotPlan(node.additionalProperties);
  plan.items = slotPlan(node.items);
  plan.isActive =
    plan.defaults.length > 0 ||
    plan.properties.size > 0 ||
    plan.additional !== undefined ||
    plan.items !== undefined;
  return plan;
}

/** A Go field that is left out when it has no value: a default without a value does not show. */
function isInvisible({ typeName }: SchemaNode, key: string, value: unknown): boolean {
  if (typeName === undefined || (value !== "" && value !== 0 && value !== false)) return false;
  const facts = typeFacts(typeName);
  return !facts.isPointer(key) && facts.alwaysWritten(key) === undefined;
}

function slotPlan(node: SchemaNode | true | undefined): SlotPlan | undefined {
  if (typeof node !== "object") return undefined;
  const plan = planOf(node);
  const forNull = node.nullable ? undefined : (node.default ?? undefined);
  return plan.isActive || forNull !== undefined ? { plan, forNull } : undefined;
}

function fill(plan: DefaultPlan, value: unknown): void {
  if (Array.isArray(value)) {
    if (plan.items !== undefined) fillItems(plan.items, value);
  } else if (isObject(value)) fillMembers(plan, value);
}

function fillItems(slot: SlotPlan, value: unknown[]): void {
  for (let index = 0; index < value.length; index++) {
    if (value[index] === null && slot.forNull !== undefined) value[index] = cloneJson(slot.forNull);
    if (slot.plan.isActive) fill(slot.plan, value[index]);
  }
}

function fillMembers(plan: DefaultPlan, value: JsonObject): void {
  for (const { key, value: given, nullable } of plan.defaults) {
    const present = Object.hasOwn(value, key) ? value[key] : undefined;
    if (present === undefined || (present === null && !nullable)) setOwn(value, key, cloneJson(given));
  }
  for (const [key, below] of plan.properties) {
    if (Object.hasOwn(value, key)) fill(below, value[key]);
  }
  const { additional } = plan;
  if (additional === undefined) return;
  for (const key of Object.keys(value)) {
    if (plan.named.has(key)) continue;
    if (value[key] === null && additional.forNull !== undefined)
      setOwn(value, key, cloneJson(additional.forNull));
    if (additional.plan.isActive) fill(additional.plan, value[key]);
  }
}
