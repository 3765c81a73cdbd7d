// Values as Go has them where JSON does not tell them apart: an integer and a float of the same size are two keys of a map.

import { formatGoSyntax } from "../../go/format.ts";
import { GoFloat, goShortest } from "../../go/strconv.ts";
import { type JsonObject, setOwn } from "../../meta/json.ts";

/** What is wrong with the values of a text that can be read; only told when all of the text can be. */
export class DecodeFailure extends Error {}

export type GoScalar = string | number | bigint | boolean | null | GoFloat;

const INT64_MAX = 2n ** 63n - 1n;
/** Where a float has no exponent in JSON, and is read as an integer. */
const INTEGER_MAX = 2 ** 63;

/** What becomes of it on its way through JSON; not finite where JSON has no number for it. */
export function jsonScalar(scalar: GoScalar): unknown {
  if (typeof scalar === "bigint") return scalar > INT64_MAX ? Number(scalar) : scalar;
  if (!(scalar instanceof GoFloat)) return scalar;
  const { value } = scalar;
  if (value === 0) return 0; // no negative zero
  if (!Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= INTEGER_MAX) return value;
  return BigInt(String(value)); // as many digits as it is written with
}

/** The text of a key; undefined where JSON can have no such key. */
export function keyText(key: GoScalar): string | undefined {
  if (isNoJsonKey(key)) return undefined;
  if (!(key instanceof GoFloat)) return String(key);
  const text = goShortest(key.value, 32);
  return NO_NUMBERS.get(text) ?? text;
}

/** As YAML writes what Go writes so. */
const NO_NUMBERS: ReadonlyMap<string, string> = new Map([
  ["+Inf", ".inf"],
  ["-Inf", "-.inf"],
  ["NaN", ".nan"],
]);

/** Neither null nor what only an unsigned integer holds becomes the text of a key. */
export const isNoJsonKey = (key: GoScalar): boolean => key === null || isUint64(key);

const isUint64 = (key: GoScalar): boolean => typeof key === "bigint" && key > INT64_MAX;

const typeOf = (key: GoScalar): string => (key instanceof GoFloat ? "float64" : typeof key);

/** Why a key is not allowed in JSON. */
export function unsupportedKey(key: GoScalar, value: unknown): string {
  const [type, shown] = key === null ? ["%!s(<nil>)", "<nil>"] : ["uint64", goSyntax(key)];
  const shownValue = value === null ? "<nil>" : goSyntax(value);
  return `unsupported map key of type: ${type}, key: ${shown}, value: ${shownValue}`;
}

/** As Go's %#v shows it. */
export const goSyntax = (value: unknown): string => formatGoSyntax(value, "map[interface {}]interface {}");

/** A mapping while it is read: keys of any type, which become the keys of one object. */
export class GoMap {
  readonly members: JsonObject = {};
  /** Keys that are no text: all of them with their types, and those whose text no other key has. */
  #others: Set<string> | undefined;
  #otherTexts: Set<string> | undefined;

  has(key: GoScalar): boolean {
    if (typeof key !== "string") return this.#others?.has(typeOf(key) + keyText(key)) ?? false;
    return this.members[key] !== undefined && Object.hasOwn(this.members, key) && !this.#otherTexts?.has(key);
  }

  /** Of two keys with the same text the last one counts. */
  set(key: GoScalar, value: unknown): void {
    const text = keyText(key);
    if (typeof key !== "string") this.#noteOther(key, text);
    else this.#otherTexts?.delete(key);
    if (text !== undefined) setOwn(this.members, text, value);
  }

  #noteOther(key: GoScalar, text: string | undefined): void {
    this.#others ??= new Set();
    this.#others.add(typeOf(key) + text);
    if (text === undefined || Object.hasOwn(this.members, text)) return;
    this.#otherTexts ??= new Set();
    this.#otherTexts.add(text);
  }
}
