// Structural defaulting: a default fills a missing field of a present object, at every depth, also in items and map
// values. A missing object gets no nested defaults unless it has a default of its own. A plan per node visits only
// positions with defaults, since most schemas have few.

import { cloneJson, isObject, type JsonObject, setOwn } from "../json/json.ts";
import { encodeJson } from "../json/json-encode.ts";
import { SENT_BYTES_MAX, tooLargeToSend } from "../meta/status.ts";
import { hasDefault, type SchemaNode } from "./schema-node.ts";

/**
 * A default below a list is set for each item. An object with more bytes of defaults than this exceeds the size limit of
 * the store.
 */
const FILLED_BYTES_MAX = 2 * SENT_BYTES_MAX;

/**
 * Sets defaults for missing fields; a null gets the default where the field is not nullable. Mutates. Throws 500 when the
 * defaults exceed the size limit of an object.
 */
export function applyDefaults(node: SchemaNode, object: unknown): void {
  const plan = planOf(node);
  if (plan.isActive) fill(plan, object, new Filled());
}

/** Total size of the defaults set so far. */
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
  /** There is a default at this node or below. */
  isActive: boolean;
  readonly defaults: Default[];
  readonly properties: Map<string, DefaultPlan>;
  /** All properties: other keys are map keys. */
  readonly named: SchemaNode["properties"];
  additional: SlotPlan | undefined;
  items: SlotPlan | undefined;
}

/** Map values and list items: defaults below them, and one that replaces a null where none is allowed. */
interface SlotPlan {
  readonly plan: DefaultPlan;
  readonly forNull: Sized | undefined;
}

const plans = new WeakMap<SchemaNode, DefaultPlan>();

function planOf(node: SchemaNode): DefaultPlan {
  const known = plans.get(node);
  if (known !== undefined) return known;
  // A recursive type counts as active until it is fully compiled.
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
      // The key and its punctuation count, too.
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

/** A Go field with omitempty: a zero-valued default does not appear in JSON. */
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

/** Iterates over the shorter of the two lists: a small object may have a large schema. */
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

/** Looking up this many properties is faster than listing the object's keys. */
const FEW_PROPERTIES = 8;
