// Structural defaulting: a default fills a missing field of a given object, at every depth, in items and map values too.
// A missing object gets no defaults inside unless it has a default of its own. A plan per node leads only where there
// are defaults, since most schemas have few.

import { cloneJson, isObject, type JsonObject, setOwn } from "../meta/json.ts";
import { encodeJson } from "../meta/json-encode.ts";
import { SENT_BYTES_MAX, tooLargeToSend } from "../meta/status.ts";
import { hasDefault, type SchemaNode } from "./schema-node.ts";

/** A default that stands in a list is filled in for each item: beyond so many bytes nobody could store the object. */
const FILLED_BYTES_MAX = 2 * SENT_BYTES_MAX;

/**
 * Fills in what is missing; a null takes the default where the field is not nullable. Mutates. Throws 500 when more is to
 * be filled in than an object may hold.
 */
export function applyDefaults(node: SchemaNode, object: unknown): void {
  const plan = planOf(node);
  if (plan.isActive) fill(plan, object, new Filled());
}

/** What has been filled in so far. */
class Filled {
  #bytes = 0;

  copy({ value, bytes }: Sized): unknown {
    this.#bytes += bytes;
    if (this.#bytes > FILLED_BYTES_MAX) throw tooLargeToSend(this.#bytes);
    return cloneJson(value);
  }
}

/** A default and the length of its JSON. */
interface Sized {
  readonly value: unknown;
  readonly bytes: number;
}

const sized = (value: unknown): Sized => ({ value, bytes: encodeJson(value).length });

interface Default extends Sized {
  readonly key: string;
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
  readonly forNull: Sized | undefined;
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
    if (hasDefault(property) && !isInvisible(node, key, property.default)) {
      const { value, bytes } = sized(property.default);
      // The key and its punctuation are filled in as well.
      plan.defaults.push({ key, value, bytes: bytes + key.length + 4, nullable: property.nullable });
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
function isInvisible({ go }: SchemaNode, key: string, value: unknown): boolean {
  if (go === undefined || (value !== "" && value !== 0 && value !== false)) return false;
  const field = go.fields.get(key);
  return field === undefined || (!field.isPointer && field.zero === undefined);
}

function slotPlan(node: SchemaNode | true | undefined): SlotPlan | undefined {
  if (typeof node !== "object") return undefined;
  const plan = planOf(node);
  const given = node.nullable ? undefined : (node.default ?? undefined);
  const forNull = given === undefined ? undefined : sized(given);
  return plan.isActive || forNull !== undefined ? { plan, forNull } : undefined;
}

function fill(plan: DefaultPlan, value: unknown, filled: Filled): void {
  if (Array.isArray(value)) {
    if (plan.items !== undefined) fillItems(plan.items, value, filled);
  } else if (isObject(value)) fillMembers(plan, value, filled);
}

function fillItems(slot: SlotPlan, value: unknown[], filled: Filled): void {
  for (let index = 0; index < value.length; index++) {
    if (value[index] === null && slot.forNull !== undefined) value[index] = filled.copy(slot.forNull);
    if (slot.plan.isActive) fill(slot.plan, value[index], filled);
  }
}

function fillMembers(plan: DefaultPlan, value: JsonObject, filled: Filled): void {
  for (const given of plan.defaults) {
    const { key, nullable } = given;
    const present = Object.hasOwn(value, key) ? value[key] : undefined;
    if (present === undefined || (present === null && !nullable)) setOwn(value, key, filled.copy(given));
  }
  fillProperties(plan.properties, value, filled);
  const { additional } = plan;
  if (additional === undefined) return;
  for (const key of Object.keys(value)) {
    if (plan.named.has(key)) continue;
    if (value[key] === null && additional.forNull !== undefined)
      setOwn(value, key, filled.copy(additional.forNull));
    if (additional.plan.isActive) fill(additional.plan, value[key], filled);
  }
}

/** The shorter of the two lists is looked through: a small object may have a large schema. */
function fillProperties(plans: DefaultPlan["properties"], value: JsonObject, filled: Filled): void {
  if (plans.size <= FEW_PROPERTIES) {
    for (const [key, below] of plans) if (Object.hasOwn(value, key)) fill(below, value[key], filled);
    return;
  }
  for (const key of Object.keys(value)) {
    const below = plans.get(key);
    if (below !== undefined) fill(below, value[key], filled);
  }
}

/** To look for so many is faster than to list what the object has. */
const FEW_PROPERTIES = 8;
