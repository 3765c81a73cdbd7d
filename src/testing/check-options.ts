// Validates options at run time: JavaScript and type assertions accept misspelled names. An ignored option makes a test
// pass or fail for the wrong reason.
import { isObject } from "../apimachinery/json/json.ts";
import { didYouMean } from "../server/options/read-command-line.ts";

/** An unknown option or an invalid value; the message names it and what is accepted. */
export class EgretOptionsError extends TypeError {
  override readonly name = "EgretOptionsError";
}

/**
 * Returns what a value must be, to complete "NAME has to be …"; undefined for a valid value. Never called with
 * undefined.
 */
export type Check = (value: unknown) => string | undefined;

/** One check for each member of an options type; the compiler rejects a table that lacks one. */
export type Checks<T> = { readonly [Name in keyof Required<T>]: Check };

export const anyValue: Check = () => undefined;
export const isText: Check = (value) => (typeof value === "string" ? undefined : "a text");
export const isFlag: Check = (value) => (typeof value === "boolean" ? undefined : "true or false");
export const isNumber: Check = (value) =>
  Number.isFinite(value) && Number(value) >= 0 ? undefined : "a number, 0 or more";
export const isPlainObject: Check = (value) => (isObject(value) ? undefined : "an object");
/** Checked by its methods: the test environment may have another AbortSignal class than the server. */
export const isSignal: Check = (value) =>
  isObject(value) && "aborted" in value && "addEventListener" in value ? undefined : "an AbortSignal";
export const isOneOf =
  (choices: readonly string[]): Check =>
  (value) =>
    choices.some((choice) => choice === value)
      ? undefined
      : choices.map((choice) => `"${choice}"`).join(" or ");

/** Throws EgretOptionsError for a name that is not in the table, and for a value that its check rejects. */
export function checkOptions<T extends object>(call: string, given: T, checks: Checks<T>): void {
  if (!isObject(given)) throw new EgretOptionsError(`${call}: the options have to be an object`);
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(checks, name)) throw unknownOption(call, name, Object.keys(checks));
    const complaint = value === undefined ? undefined : checks[name as keyof T](value); // a name of the table
    if (complaint !== undefined) throw new EgretOptionsError(`${call}: ${name} has to be ${complaint}`);
  }
}

/** "waitFor has no option timeoutMs; did you mean timeout? There are timeout, signal" */
export function unknownOption(
  call: string,
  name: string,
  known: readonly string[],
  listed = `there are ${known.join(", ")}`,
): EgretOptionsError {
  const hint = didYouMean(name, known);
  const rest = hint === "" ? `; ${listed}` : `${hint} ${listed.charAt(0).toUpperCase()}${listed.slice(1)}`;
  return new EgretOptionsError(`${call} has no option ${name}${rest}`);
}
