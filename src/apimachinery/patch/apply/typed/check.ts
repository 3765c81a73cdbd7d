// Type check of an applied configuration, with upstream's error texts.

import { formatGoSyntax, formatGoValue, GoNative, goTypeOf } from "../../../go/format.ts";
import { isObject, type JsonObject } from "../../../json/json.ts";
import { sortedKeys } from "../../../json/json-encode.ts";
import { FINDINGS_CHARS_MAX } from "../../../meta/field-error.ts";
import { describePathElement, parsePathElement } from "../fields/field-path.ts";
import { itemStep, ListItemError } from "./owned-fields.ts";
import type { ListForm, MapForm, ScalarForm, TypeNode } from "./type-node.ts";

/** Position of a value; formatted only for errors. */
interface Place {
  /** undefined for a child of the root. */
  readonly above: Place | undefined;
  readonly step: string;
  readonly form: "field" | "index" | "item";
}

/** Errors found, up to the size limit of a message. */
class Faults {
  readonly lines: string[] = [];
  #chars = 0;
  /** The size limit is reached, and further errors are omitted. */
  full = false;

  add(place: Place | undefined, message: string): void {
    const line = place === undefined ? message : `${describePlace(place)}: ${message}`;
    this.#chars += line.length;
    this.full = this.lines.length > 0 && this.#chars > FINDINGS_CHARS_MAX;
    this.lines.push(this.full ? "and more" : line);
  }
}

function describePlace(place: Place): string {
  const steps: string[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.above) {
    const { form, step } = at;
    steps.push(form === "field" ? `.${step}` : form === "index" ? `[${step}]` : describeStep(step));
  }
  return steps.reverse().join("");
}

/** All type errors of the value in one text, or undefined when there are none. */
export function describeTypeFaults(type: TypeNode, value: unknown): string | undefined {
  const faults = new Faults();
  checkValue(type, value, undefined, faults);
  const { lines } = faults;
  return lines.length < 2 ? lines[0] : `errors:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}

/** Reports whether all values fit the schema's forms; whether list items have unique keys is not checked. */
export function fitsType(type: TypeNode, value: unknown): boolean {
  if (wrongForm(type, value) !== undefined) return false;
  const { map, list } = type;
  if (Array.isArray(value)) return list === undefined || value.every((item) => fitsType(list.item, item));
  if (!isObject(value) || map === undefined) return true;
  return Object.keys(value).every((key) => {
    const member = map.fields.get(key) ?? map.item;
    return member === undefined || fitsType(member, value[key]);
  });
}

function checkValue(type: TypeNode, value: unknown, place: Place | undefined, faults: Faults): void {
  if (faults.full) return;
  const message = wrongForm(type, value);
  if (message !== undefined) {
    faults.add(place, message);
  } else if (isObject(value) && type.map !== undefined) {
    checkMap(type.map, value, place, faults);
  } else if (Array.isArray(value) && type.list !== undefined) {
    checkList(type.list, value, place, faults);
  }
}

/** Null fits every form. For a type with several forms, the error for a misfit names the first. */
function wrongForm({ scalar, list, map }: TypeNode, value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  const isScalar = value instanceof GoNative;
  const fits = isObject(value) && !isScalar ? map : Array.isArray(value) ? list : scalar;
  if (fits === undefined) {
    if (map !== undefined) return `expected map, got &{${formatGoValue(value)}}`;
    if (scalar === undefined) return `expected list, got &{${formatGoValue(value)}}`;
  }
  return typeof fits === "object" ? undefined : scalar && wrongScalar(scalar, value);
}

function wrongScalar(scalar: ScalarForm, value: unknown): string | undefined {
  const type = typeof value;
  switch (scalar) {
    case "string":
      return type === "string"
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${formatGoSyntax(value)}}`;
    case "numeric":
      return type === "number" || type === "bigint"
        ? undefined
        : `expected numeric (int or float), got ${goTypeOf(value)}`;
    case "boolean":
      return type === "boolean" ? undefined : `expected boolean, got &{${formatGoValue(value)}}`;
    case "any":
      return type === "object" ? `expected any scalar, got &{${formatGoValue(value)}}` : undefined;
  }
}

/**
 * Upstream visits members in random order and stops at an undeclared one. Here undeclared members come first, and the
 * others by name.
 */
function checkMap(map: MapForm, value: JsonObject, above: Place | undefined, faults: Faults): void {
  const steps = sortedKeys(value);
  const undeclared = map.item === undefined ? steps.find((step) => !map.fields.has(step)) : undefined;
  if (undeclared !== undefined)
    faults.add({ above, step: undeclared, form: "field" }, "field not declared in schema");
  for (const step of undeclared === undefined ? steps : []) {
    const type = map.fields.get(step) ?? map.item;
    if (type !== undefined) checkValue(type, value[step], { above, step, form: "field" }, faults);
    if (faults.full) return;
  }
}

function checkList(
  list: ListForm,
  items: readonly unknown[],
  above: Place | undefined,
  faults: Faults,
): void {
  const atomic = list.kind === "atomic";
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (faults.full) return;
    if (atomic) {
      checkValue(list.item, item, { above, step: String(index), form: "index" }, faults);
      continue;
    }
    const step = stepOrFault(list, item);
    if (step instanceof ListItemError) {
      faults.add(above, `element ${index}: ${step.message}`);
      return;
    }
    if (seen.has(step)) faults.add(above, `duplicate entries for key ${describeStep(step)}`);
    seen.add(step);
    checkValue(list.item, item, { above, step, form: "item" }, faults);
  }
}

function stepOrFault(list: ListForm, item: unknown): string | ListItemError {
  try {
    return itemStep(list, item);
  } catch (error) {
    if (error instanceof ListItemError) return error;
    throw error;
  }
}

function describeStep(step: string): string {
  const element = parsePathElement(step);
  return element === undefined ? step : describePathElement(element);
}
