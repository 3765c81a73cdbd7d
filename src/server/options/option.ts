// A server option as data: its help, its default and its parser.

import { UsageError } from "../errors.ts";
import type { Flag } from "./flag.ts";

/** The value from the command line or the variable. */
export type Given = string | boolean | readonly string[];

export interface Option<T> {
  readonly flag: Omit<Flag, "name" | "variable">;
  /** The default. */
  readonly unset: T;
  /** Throws UsageError. */
  read(given: Given, flagName: string): T;
}

/** The help of an option. */
type Told = Omit<Flag, "name" | "variable" | "type" | "multiple" | "default">;

const optionOf = <T>(told: Told, more: Partial<Flag>, unset: T, read: Option<T>["read"]): Option<T> => ({
  flag: { ...told, type: "string", ...more },
  unset,
  read,
});

/** Throws where a text is invalid. */
type Check = (text: string) => unknown;

/** A text with a default. */
export const text = (unset: string, told: Told, check?: Check): Option<string> =>
  optionOf(told, { default: unset }, unset, (given) => {
    check?.(String(given));
    return String(given);
  });

/** Optional text; an empty one counts as absent. */
export const optionalText = (
  told: Told,
  { unset, check }: { readonly unset?: string; readonly check?: Check } = {},
): Option<string | undefined> =>
  optionOf(told, unset === undefined ? {} : { default: unset }, unset, (given) => {
    if (given === "") return undefined;
    check?.(String(given));
    return String(given);
  });

/** A boolean that is off by default. */
export const onOff = (told: Told): Option<boolean> =>
  optionOf(told, { type: "boolean" }, false, (given) => given === true);

/** A boolean that is on by default. */
export const onUnlessOff = (told: Told): Option<boolean> =>
  optionOf(told, { type: "boolean", default: "true" }, true, (given) => given === true);

/** A whole number of at most nine digits. */
export const count = (unset: number, told: Told): Option<number> =>
  optionOf(told, { value: "N", default: String(unset) }, unset, (given, flagName) => {
    if (!/^\d{1,9}$/.test(String(given))) throw new UsageError(`--${flagName} ${given} is no whole number`);
    return Number(given);
  });

/** A whole number of at most 15 digits, which may be negative. */
export const integer = (unset: number, told: Told): Option<number> =>
  optionOf(told, { value: "N", default: String(unset) }, unset, (given, flagName) => {
    if (!/^-?\d{1,15}$/.test(String(given)))
      throw new UsageError(`--${flagName} ${given} is no whole number`);
    return Number(given) || 0;
  });

/** One of several words, in any case. The first is the default. */
export const choice = <T extends string>(choices: readonly [T, ...T[]], told: Told): Option<T> =>
  optionOf(told, { default: choices[0], choices }, choices[0], (given, flagName) =>
    oneOf(choices, String(given).toLowerCase(), flagName),
  );

/** Texts that are given by repeating the flag. */
export const texts = (
  told: Told,
  { unset = [], check }: { readonly unset?: readonly string[]; readonly check?: Check } = {},
): Option<readonly string[]> => {
  const [first] = unset;
  const more = first === undefined ? { multiple: true } : { multiple: true, default: first };
  return optionOf(told, more, unset, (given) => {
    const list: readonly string[] = Array.isArray(given) ? given : [];
    for (const item of list) check?.(item);
    return list.length > 0 ? list : unset;
  });
};

/** Words, given by repeating the flag or separated by commas. */
export const words = (told: Told): Option<readonly string[]> =>
  optionOf(told, { multiple: true }, [], wordsOf);

/** A subset of the known words. */
export const someOf = <T extends string>(choices: readonly T[], told: Told): Option<readonly T[]> =>
  optionOf(told, { multiple: true, choices }, [], (given, flagName) =>
    wordsOf(given).map((word) => oneOf(choices, word, flagName)),
  );

function wordsOf(given: Given): string[] {
  const list = Array.isArray(given) ? given : [];
  return list
    .flatMap((item) => item.split(","))
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

function oneOf<T extends string>(choices: readonly T[], word: string, flagName: string): T {
  const found = choices.find((item) => item === word);
  if (found === undefined) throw new UsageError(`--${flagName} ${word} is none of ${choices.join(", ")}`);
  return found;
}
