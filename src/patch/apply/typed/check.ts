// Whether an applied configuration has the types of its kind; the words are those of a real server.
import { FINDINGS_CHARS_MAX } from "../../../meta/field-error.ts";
import { isObject, type JsonObject } from "../../../meta/json.ts";
import { formatGoSyntax, formatGoValue, goTypeOf } from "../../go-format.ts";
import { describePathElement, parsePathElement } from "../fields/field-path.ts";
import { itemStep, ListItemError } from "./list-items.ts";
import type { ListForm, MapForm, ScalarForm, TypeNode } from "./type-forms.ts";

interface TypeFault {
  readonly path: string;
  readonly message: string;
}

/** All faults of the value in one text, or undefined when there is none. */
export function describeTypeFaults(type: TypeNode, value: unknown): string | undefined {
  const faults: TypeFault[] = [];
  checkValue(type, value, "", faults);
  const lines: string[] = [];
  let chars = 0;
  for (const { path, message } of faults) {
    const line = path === "" ? message : `${path}: ${message}`;
    chars += line.length;
    if (lines.length > 0 && chars > FINDINGS_CHARS_MAX) {
      lines.push("and more");
      break;
    }
    lines.push(line);
  }
  return lines.length < 2 ? lines[0] : `errors:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}

function checkValue(type: TypeNode, value: unknown, path: string, faults: TypeFault[]): void {
  const message = wrongForm(type, value);
  if (message !== undefined) {
    faults.push({ path, message });
  } else if (isObject(value) && type.map !== undefined) {
    checkMap(type.map, value, path, faults);
  } else if (Array.isArray(value) && type.list !== undefined) {
    checkList(type.list, value, path, faults);
  }
}

/** Null has every form. Where a type has several forms, a value of none of them is measured by the first. */
function wrongForm({ scalar, list, map }: TypeNode, value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  const fits = isObject(value) ? map : Array.isArray(value) ? list : scalar;
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

function checkMap(map: MapForm, value: JsonObject, path: string, faults: TypeFault[]): void {
  for (const key of Object.keys(value)) {
    const type = map.fields.get(key) ?? map.item;
    if (type === undefined) {
      faults.push({ path: `${path}.${key}`, message: "field not declared in schema" });
      return;
    }
    checkValue(type, value[key], `${path}.${key}`, faults);
  }
}

function checkList(list: ListForm, items: readonly unknown[], path: string, faults: TypeFault[]): void {
  if (list.kind === "atomic") {
    for (const [index, item] of items.entries()) checkValue(list.item, item, `${path}[${index}]`, faults);
    return;
  }
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const step = stepOrFault(list, item);
    if (step instanceof ListItemError) {
      faults.push({ path, message: `element ${index}: ${step.message}` });
      return;
    }
    const shown = describeStep(step);
    if (seen.has(step)) faults.push({ path, message: `duplicate entries for key ${shown}` });
    seen.add(step);
    checkValue(list.item, item, path + shown, faults);
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
