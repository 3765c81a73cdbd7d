// What an option of the server is as data: how help tells it, what it is when nobody says it, and how its text is read.

import type { Flag } from "../command-line/flag.ts";
import { UsageError } from "../errors.ts";

/** As the command line, or the variable, gives it. */
export type Given = string | boolean | readonly string[];

export interface Option<T> {
  readonly flag: Omit<Flag, "name" | "variable">;
  /** What it is when nobody says. */
  readonly unset: T;
  /** Throws UsageError. */
  read(given: Given, flagName: string): T;
}

/** What help says of an option. */
type Told = Omit<Flag, "name" | "variable" | "type" | "multiple" | "default">;

const optionOf = <T>(told: Told, more: Partial<Flag>, unset: T, read: Option<T>["read"]): Option<T> => ({
  flag: { ...told, type: "string", ...more },
  unset,
  read,
});

/** Throws where a text means nothing. */
type Check = (text: string) => unknown;

/** A text with a default. */
export const text = (unset: string, told: Told, check?: Check): Option<string> =>
  optionOf(told, { default: unset }, unset, (given) => {
    check?.(String(given));
    return String(given);
  });

/** A text that may be left out; an empty one is none. */
export const optionalText = (
  told: Told,
  { unset, check }: { readonly unset?: string; readonly check?: Check } = {},
): Option<string | undefined> =>
  optionOf(told, unset === undefined ? {} : { default: unset }, unset, (given) => {
    if (given === "") return undefined;
    check?.(String(given));
    return String(given);
  });

/** On or off; off unless said. */
export const onOff = (told: Told): Option<boolean> =>
  optionOf(told, { type: "boolean" }, false, (given) => given === true);

/** On unless said otherwise. */
export const onUnlessOff = (told: Told): Option<boolean> =>
  optionOf(told, { type: "boolean", default: "true" }, true, (given) => given === true);

/** A whole number of at most nine digits. */
export const count = (unset: number, told: Told): Option<number> =>
  optionOf(told, { value: "N", default: String(unset) }, unset, (given, flagName) => {
    if (!/^\d{1,9}$/.test(String(given))) throw new UsageError(`--${flagName} ${given} is no whole number`);
    return Number(given);
  });

/** A whole number of at most 15 digits, which may be below zero. */
export const integer = (unset: number, told: Told): Option<number> =>
  optionOf(told, { value: "N", default: String(unset) }, unset, (given, flagName) => {
    if (!/^-?\d{1,15}$/.test(String(given)))
      throw new UsageError(`--${flagName} ${given} is no whole number`);
    return Number(given) || 0;
  });

/** One of some words, in any case; the first is the default. */
export const choice = <T extends string>(choices: readonly [T, ...T[]], told: Told): Option<T> =>
  optionOf(told, { default: choices[0], choices }, choices[0], (given, flagName) =>
    oneOf(choices, String(given).toLowerCase(), flagName),
  );

/** Texts that are given one by one. */
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

/** Words, given one by one or with commas between them. */
export const words = (told: Told): Option<readonly string[]> =>
  optionOf(told, { multiple: true }, [], wordsOf);

/** Some of the words that there are. */
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
