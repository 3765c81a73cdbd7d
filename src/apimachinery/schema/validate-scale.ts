// Validates the fields that the scale subresource of a custom resource reads.

import { formatGoValue, goTypeOf } from "../go/format.ts";
import { isObject, type JsonObject } from "../json/json.ts";
import { type FieldError, invalid } from "../meta/field-error.ts";
import { append } from "../meta/lists.ts";

/** JSON paths such as ".spec.replicas". */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string | undefined;
}

const INT32_MAX = 2 ** 31 - 1;

/** A write to /status validates only paths inside of the status. */
export function validateScale(
  object: JsonObject,
  paths: ScalePaths,
  { statusOnly }: { statusOnly: boolean },
): FieldError[] {
  const errors: FieldError[] = [];
  if (!statusOnly) append(errors, replicaErrors(object, paths.specReplicasPath));
  append(errors, replicaErrors(object, paths.statusReplicasPath));
  if (paths.labelSelectorPath) append(errors, selectorErrors(object, paths.labelSelectorPath));
  return errors;
}

function replicaErrors(object: JsonObject, path: string): FieldError[] {
  const found = valueAt(object, path);
  if (found.error !== undefined) return [invalid(path, 0, found.error)];
  const { value } = found;
  if (value === undefined) return [];
  if (typeof value !== "bigint" && !Number.isSafeInteger(value)) {
    return [invalid(path, 0, misfit(path, value, "int64"))];
  }
  const replicas = Number(value);
  if (replicas < 0) return [invalid(path, value, "should be a non-negative integer")];
  return replicas > INT32_MAX ? [invalid(path, value, `should be less than or equal to ${INT32_MAX}`)] : [];
}

function selectorErrors(object: JsonObject, path: string): FieldError[] {
  const found = valueAt(object, path);
  if (found.error !== undefined) return [invalid(path, "", found.error)];
  const { value } = found;
  return value === undefined || typeof value === "string"
    ? []
    : [invalid(path, "", misfit(path, value, "string"))];
}

interface Found {
  readonly value?: unknown;
  readonly error?: string;
}

/** The value at a path, or the error that prevents reading it; neither where it is absent. */
export function valueAt(object: JsonObject, path: string): Found {
  const keys = keysOf(path);
  let value: unknown = object;
  for (const [index, key] of keys.entries()) {
    if (value === null) return {};
    if (!isObject(value)) {
      const shown = `.${keys.slice(0, index + 1).join(".")}`;
      const type = goTypeOf(value);
      return {
        error: `${shown} accessor error: ${formatGoValue(value)} is of the type ${type}, expected map[string]interface{}`,
      };
    }
    if (!Object.hasOwn(value, key)) return {};
    value = value[key];
  }
  return { value };
}

/** Keys of a path, which may begin with a dot. */
export const keysOf = (path: string): string[] => (path.startsWith(".") ? path.slice(1) : path).split(".");

/** Error for a value at a path that does not have the expected type. */
export const misfit = (path: string, value: unknown, expected: string): string =>
  `.${keysOf(path).join(".")} accessor error: ${formatGoValue(value)} is of the type ${goTypeOf(value)}, expected ${expected}`;
