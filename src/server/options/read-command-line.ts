// Parses the arguments of a command, and the environment variables of its flags.
import { parseArgs } from "node:util";
import { UsageError } from "../errors.ts";
import { type Flag, HELP_FLAG, variableOf } from "./flag.ts";

export type Environment = Readonly<Record<string, string | undefined>>;
export type FlagValues = ReadonlyMap<string, string | boolean | readonly string[]>;

export interface CommandLine {
  /** By flag name. Flags that are not given are absent. */
  readonly values: FlagValues;
  /** Positional arguments. */
  readonly words: readonly string[];
  /** The arguments after `--`; undefined without `--`. */
  readonly rest: readonly string[] | undefined;
}

const TRUE = ["true", "1", "yes"];
const FALSE = ["false", "0", "no", ""];

/** A flag takes precedence over its variable. Throws UsageError. */
export function readCommandLine(
  flags: readonly Flag[],
  args: readonly string[],
  env: Environment = {},
): CommandLine {
  const known = [...flags, HELP_FLAG];
  const values = new Map<string, string | boolean | readonly string[]>();
  for (const flag of flags) {
    const text = flag.variable === true ? env[variableOf(flag)] : undefined;
    if (text !== undefined) values.set(flag.name, meaningOf(flag, text, `${variableOf(flag)}=${text}`));
  }
  const lists = new Map<string, string[]>();
  const words: string[] = [];
  let rest: string[] | undefined;
  for (const token of tokensOf(known, args)) {
    if (token.kind === "option-terminator") rest ??= [];
    if (token.kind === "positional") (rest ?? words).push(token.value);
    if (token.kind !== "option") continue;
    const flag = known.find(({ name }) => name === token.name);
    if (flag === undefined) throw new UsageError(unknownText(token.rawName, known));
    const value = givenValue(flag, token.rawName, token.value, token.inlineValue === true);
    checkChoice(flag, value);
    if (flag.multiple !== true) values.set(flag.name, value);
    else lists.set(flag.name, [...(lists.get(flag.name) ?? []), String(value)]);
  }
  for (const [name, list] of lists) values.set(name, list);
  return { values, words, rest };
}

/** The text of a flag, or the fallback when it is not given. */
export function textOf(values: FlagValues, name: string, fallback: string): string {
  const value = values.get(name);
  return typeof value === "string" ? value : fallback;
}

/** parseArgs only splits the arguments. Errors are detected and worded here. */
function tokensOf(flags: readonly Flag[], args: readonly string[]) {
  const options = Object.fromEntries(
    flags.map(({ name, type, short }) => [name, { type, ...(short === undefined ? {} : { short }) }]),
  );
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

function givenValue(flag: Flag, raw: string, value: string | undefined, isInline: boolean): string | boolean {
  if (flag.type === "boolean")
    return value === undefined || meaningOf(flag, value, `${raw}=${value}`) === true;
  if (value === undefined) throw new UsageError(`${raw} needs a value: ${raw} ${flag.value ?? "VALUE"}`);
  if (!isInline && value.length > 1 && value.startsWith("-")) {
    const whole = `--${flag.name}=${value}`;
    throw new UsageError(`${raw} needs a value; if ${value} is meant, write ${whole}`);
  }
  return value;
}

/** Flags with a variable are server options, which validate their own values. */
function checkChoice({ name, choices, variable }: Flag, value: string | boolean): void {
  if (choices === undefined || variable === true || choices.includes(String(value))) return;
  throw new UsageError(`--${name} ${value} is none of ${choices.join(", ")}`);
}

/** The value of a flag's text. `said` is the argument as given, for errors. */
function meaningOf(flag: Flag, text: string, said: string): string | boolean | readonly string[] {
  if (flag.type !== "boolean") {
    return flag.multiple ? text.split(",").filter((item) => item !== "") : text;
  }
  const word = text.toLowerCase();
  if (TRUE.includes(word)) return true;
  if (FALSE.includes(word)) return false;
  throw new UsageError(`${said} says neither true nor false`);
}

function unknownText(raw: string, flags: readonly Flag[]): string {
  const names = flags.map(({ name }) => `--${name}`);
  const hint = raw.startsWith("--") ? didYouMean(raw, names) : "";
  return `there is no flag ${raw}${hint === "" ? "; --help lists them" : hint}`;
}

// "Did you mean": the known word nearest to an unknown one.

/** Maximum edit distance: one third of the letters, and at most three. */
const WRONG_MAX = 3;

/** `; did you mean apply?`, or "" where no word is near. */
export function didYouMean(given: string, words: readonly string[]): string {
  const nearest = nearestOf(given, words);
  return nearest === undefined ? "" : `; did you mean ${nearest}?`;
}

/** The first of the nearest words; undefined when none is near. */
export function nearestOf(given: string, words: readonly string[]): string | undefined {
  const text = given.toLowerCase();
  const wrongMax = Math.min(WRONG_MAX, Math.max(1, Math.floor(text.length / 3)));
  const near = words
    .map((word) => ({ word, wrong: wrongLetters(text, word.toLowerCase()) }))
    .filter(({ wrong }) => wrong <= wrongMax)
    .sort((a, b) => a.wrong - b.wrong);
  return near[0]?.word ?? words.find((word) => text.length > 2 && word.toLowerCase().startsWith(text));
}

/** Edit distance with insertions, deletions, substitutions and swaps of neighbors (optimal string alignment). */
function wrongLetters(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1] ? 0 : 1;
      let least = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + same,
      );
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (isSwap && row > 1 && column > 1) least = Math.min(least, (beforeLast[column - 2] ?? 0) + 1);
      current.push(least);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
