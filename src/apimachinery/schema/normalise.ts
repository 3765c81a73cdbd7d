// Normalization of built-in kinds as by a round trip through Go structs. A null becomes the zero value, zero values of
// optional fields are omitted, required ones are written. Times and quantities get their canonical form. A plan is made
// once per struct, with the reader and the zero value of each field.

import { canonicalBase64 } from "../go/base64.ts";
import { canonicalQuantity } from "../go/quantity.ts";
import { canonicalTime } from "../go/time.ts";
import { isObject, type JsonObject } from "../json/json.ts";
import { encodeJson } from "../json/json-encode.ts";
import { noteGivenEmpty } from "../meta/given-empty.ts";
import { memoizeText } from "../meta/memoize.ts";
import type { GoField, SchemaNode } from "./schema-node.ts";

/** Converts a decoded object to the form that Go encodes; it must have passed findDecodeError. Mutates. */
export function normaliseBuiltIn(node: SchemaNode, object: JsonObject): void {
  normaliseStruct(planOf(node), object);
}

/** undefined: the field is left out. */
type Normalise = (value: unknown) => unknown;

interface FieldPlan {
  readonly normalise: Normalise;
  /** Value of an absent field; undefined: it is omitted. */
  readonly absent: (() => unknown) | undefined;
}

interface StructPlan {
  readonly fields: Map<string, FieldPlan>;
  /** Fields that are encoded even without a value. */
  readonly written: (readonly [string, () => unknown])[];
}

const plans = new WeakMap<SchemaNode, StructPlan>();

function planOf(node: SchemaNode): StructPlan {
  const known = plans.get(node);
  if (known !== undefined) return known;
  const plan: StructPlan = { fields: new Map(), written: [] };
  plans.set(node, plan);
  for (const [key, property] of node.properties) {
    const field = fieldPlan(node, key, property);
    plan.fields.set(key, field);
    if (field.absent !== undefined) plan.written.push([key, field.absent]);
  }
  return plan;
}

function normaliseStruct(plan: StructPlan, object: JsonObject): JsonObject {
  for (const key of Object.keys(object)) {
    const field = plan.fields.get(key);
    if (field === undefined) continue;
    const value = object[key];
    const normal = field.normalise(value);
    if ((normal === undefined || normal === null) && isEmpty(value)) noteGivenEmpty(object, key);
    if (normal === undefined) delete object[key];
    else if (normal !== value) object[key] = normal;
  }
  for (const [key, absent] of plan.written) if (object[key] === undefined) object[key] = absent();
  return object;
}

function fieldPlan(owner: SchemaNode, key: string, node: SchemaNode): FieldPlan {
  const field: Partial<GoField> = owner.go?.fields.get(key) ?? {};
  const alwaysWritten = field.zero;
  const isRequired = owner.required.includes(key);
  const value = valuePlan(node);
  switch (shapeOf(node)) {
    case "struct":
      return isObject(node.default) ? structField(value) : orZero(value, alwaysWritten);
    case "list":
    case "map": {
      const zero = (isRequired && !field.omitsZero) || alwaysWritten === null ? null : undefined;
      const keepsEmpty = owner.go?.keepsEmptyLists === true && zero === null;
      return orZero(keepsEmpty ? value : withMembers(node), zero);
    }
    case "time": {
      const omitted = field.isPointer || field.omitsZero;
      return orZero(value, omitted ? undefined : null);
    }
    case "scalar": {
      if (field.isPointer || alwaysWritten === null) return orZero(value, alwaysWritten);
      const zero = zeroOf(node);
      const isWritten = alwaysWritten !== undefined || (isRequired && node.default !== undefined);
      return orZero((given) => (given === zero ? undefined : value(given)), isWritten ? zero : undefined);
    }
    default:
      return orZero(value, alwaysWritten);
  }
}

/** A field for which absent, null and empty values are equal. */
function orZero(normalise: Normalise, zero: unknown): FieldPlan {
  const read: Normalise = (value) => {
    const normal = value === null || value === undefined ? undefined : normalise(value);
    return normal === undefined ? zero : normal;
  };
  return { normalise: read, absent: zero === undefined ? undefined : () => zero };
}

/** A struct that is no pointer (its schema has a default): always present. */
function structField(normalise: Normalise): FieldPlan {
  const empty = (): unknown => normalise({});
  return { normalise: (value) => normalise(isObject(value) ? value : {}), absent: empty };
}

/** As valuePlan, for a list or a map that counts as absent when it is empty. */
function withMembers(node: SchemaNode): Normalise {
  const { additionalProperties } = node;
  if (shapeOf(node) === "map" && typeof additionalProperties === "object")
    return mapPlan(additionalProperties, true);
  const normalise = valuePlan(node);
  return (value) => (isEmpty(value) ? undefined : normalise(value));
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;

type Shape = "struct" | "list" | "map" | "time" | "scalar" | "other";

function shapeOf(node: SchemaNode): Shape {
  if (node.goType === "Time" || node.goType === "MicroTime") return "time";
  if (node.intOrString || node.preserveUnknownFields || node.type === undefined) return "other";
  if (node.type === "array") return "list";
  if (node.type !== "object") return "scalar";
  return node.additionalProperties === undefined ? "struct" : "map";
}

function zeroOf(node: SchemaNode): unknown {
  switch (node.type) {
    case "string":
      return "";
    case "boolean":
      return false;
    default:
      return 0;
  }
}

const canonicalMetaTime = memoizeText((text) => canonicalTime(text, false));
const canonicalMicroTime = memoizeText((text) => canonicalTime(text, true));

/** Normalizes a present value; null occurs only as a list item or a map value. */
function valuePlan(node: SchemaNode): Normalise {
  switch (shapeOf(node)) {
    case "struct":
      return (value) => normaliseStruct(planOf(node), isObject(value) ? value : {});
    case "list":
      return listPlan(node.items);
    case "map":
      return mapPlan(node.additionalProperties);
    case "time": {
      const canonical = node.goType === "MicroTime" ? canonicalMicroTime : canonicalMetaTime;
      return (value) => (typeof value === "string" ? canonical(value) : undefined);
    }
    case "scalar":
      return scalarPlan(node);
    default:
      return otherPlan(node);
  }
}

function scalarPlan(node: SchemaNode): Normalise {
  const zero = zeroOf(node);
  if (node.format !== "byte") return (value) => value ?? zero;
  return (value) => {
    if (Array.isArray(value)) return Buffer.from(value.map(Number)).toString("base64");
    return typeof value === "string" ? canonicalBase64(value) : zero;
  };
}

function listPlan(items: SchemaNode | undefined): Normalise {
  if (items === undefined) return (value) => value;
  let item: Normalise | undefined; // made on first use: a type may contain lists of itself
  return (value) => {
    if (!Array.isArray(value)) return value;
    item ??= valuePlan(items);
    for (let index = 0; index < value.length; index++) {
      const normal = item(value[index]);
      if (normal !== value[index]) value[index] = normal ?? null;
    }
    return value;
  };
}

/** One walk over the keys is enough: listing those of a wide map takes as long as reading its values. */
function mapPlan(values: SchemaNode | true | undefined, dropsEmpty = false): Normalise {
  if (typeof values !== "object") return (value) => value;
  let item: Normalise | undefined; // as above
  return (value) => {
    if (!isObject(value)) return Array.isArray(value) && value.length === 0 && dropsEmpty ? undefined : value;
    item ??= valuePlan(values);
    const keys = Object.keys(value);
    if (dropsEmpty && keys.length === 0) return undefined;
    for (const key of keys) {
      const given = value[key];
      const normal = item(given);
      if (normal !== given) value[key] = normal ?? null;
    }
    return value;
  };
}

/** Types that hold any value, or have their own UnmarshalJSON. */
function otherPlan(node: SchemaNode): Normalise {
  if (node.goType === "Quantity") return quantityText;
  if (node.intOrString) return (value) => value ?? 0;
  if (node.preserveUnknownFields || node.properties.size === 0) return (value) => value;
  const list = listPlan(node.items);
  return (value) => (isObject(value) ? normaliseStruct(planOf(node), value) : list(value));
}

function quantityText(value: unknown): string {
  if (value === null) return "0";
  return canonicalQuantity(typeof value === "string" ? value.trim() : encodeJson(value));
}
