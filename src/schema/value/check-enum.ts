// Enumerations as a Go server compares them: the value is first converted to the type of the listed one, if Go can.
import { equalJson, isObject } from "../../meta/json.ts";
import { isInt64 } from "./check-number.ts";

/** A null equals nothing, not even a listed null. */
export function isEnumerated(values: readonly unknown[], value: unknown): boolean {
  return values.some((listed) => equalsListed(listed, value));
}

function equalsListed(listed: unknown, value: unknown): boolean {
  if (listed === null || value === null || value === undefined) return false;
  if (isNumber(listed)) {
    if (!isNumber(value)) return false;
    if (isInt64(listed) && !isInt64(value)) return Math.trunc(Number(value)) === Number(listed);
    return isInt64(listed) ? BigInt(value) === BigInt(listed) : Number(value) === listed;
  }
  if (Array.isArray(listed) || isObject(listed)) return equalJson(listed, value);
  if (typeof listed === "string" && isNumber(value)) return isLetterOf(listed, value);
  return listed === value;
}

const isNumber = (value: unknown): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint";

/** In Go an integer converts to the text of that one letter. */
function isLetterOf(listed: string, value: number | bigint): boolean {
  if (!isInt64(value) || value < 0 || value > 0x10ffff) return false;
  return String.fromCodePoint(Number(value)) === listed;
}
