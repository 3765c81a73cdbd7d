// semver(): versions by the rules of semver.org, compared by precedence.

import { goQuote } from "../../../go/strconv.ts";
import { struct } from "../../language/types.ts";
import { CelError, LibraryType, type LibraryValue, type Value } from "../../values/value.ts";
import { declareWith, type FunctionDecl } from "../declare.ts";
import { scan } from "../price.ts";

const UINT_MAX = 2n ** 64n - 1n;

interface Version {
  readonly numbers: readonly bigint[];
  readonly pre: readonly (bigint | string)[];
}

type SemverValue = LibraryValue<Version>;

const SEMVER = new LibraryType<Version>(struct("kubernetes.Semver"), (a, b) => compareVersions(a, b) === 0);
const declare = declareWith({ Semver: SEMVER.type });

function compareVersions(a: Version, b: Version): number {
  for (let index = 0; index < 3; index++) {
    const order = compareParts(a.numbers[index] ?? 0n, b.numbers[index] ?? 0n);
    if (order !== 0) return order;
  }
  if (a.pre.length === 0 || b.pre.length === 0) return Math.sign(b.pre.length - a.pre.length);
  for (let index = 0; index < Math.min(a.pre.length, b.pre.length); index++) {
    const order = compareParts(a.pre[index] ?? 0n, b.pre[index] ?? 0n);
    if (order !== 0) return order;
  }
  return Math.sign(a.pre.length - b.pre.length);
}

/** Numbers sort before words. */
function compareParts(a: bigint | string, b: bigint | string): number {
  if (typeof a !== typeof b) return typeof a === "bigint" ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

class Problem extends Error {}

function numberOf(text: string, name: string): bigint {
  if (!/^\d+$/.test(text)) throw new Problem(`Invalid character(s) found in ${name} number ${goQuote(text)}`);
  if (/^0\d/.test(text)) {
    const title = name.charAt(0).toUpperCase() + name.slice(1);
    throw new Problem(`${title} number must not contain leading zeroes ${goQuote(text)}`);
  }
  const value = BigInt(text);
  if (value > UINT_MAX) throw new Problem(`strconv.ParseUint: parsing ${goQuote(text)}: value out of range`);
  return value;
}

function preRelease(text: string): bigint | string {
  if (text === "") throw new Problem("Prerelease is empty");
  if (/^\d+$/.test(text)) {
    if (/^0\d/.test(text)) {
      throw new Problem(`Numeric PreRelease version must not contain leading zeroes ${goQuote(text)}`);
    }
    return BigInt(text);
  }
  if (!/^[\dA-Za-z-]+$/.test(text))
    throw new Problem(`Invalid character(s) found in prerelease ${goQuote(text)}`);
  return text;
}

function parseVersion(text: string): Version {
  if (text === "") throw new Problem("Version string empty");
  const match = /^([^.]*)\.([^.]*)\.([\s\S]*)$/.exec(text);
  if (!match) throw new Problem("No Major.Minor.Patch elements found");
  const [, major = "", minor = "", rest = ""] = match;
  const plus = rest.indexOf("+");
  const withoutBuild = plus < 0 ? rest : rest.slice(0, plus);
  const dash = withoutBuild.indexOf("-");
  const patch = dash < 0 ? withoutBuild : withoutBuild.slice(0, dash);
  const numbers = [numberOf(major, "major"), numberOf(minor, "minor"), numberOf(patch, "patch")];
  const pre =
    dash < 0
      ? []
      : withoutBuild
          .slice(dash + 1)
          .split(".")
          .map(preRelease);
  for (const part of plus < 0 ? [] : rest.slice(plus + 1).split(".")) {
    if (part === "") throw new Problem("Build meta data is empty");
    if (!/^[\dA-Za-z-]+$/.test(part)) {
      throw new Problem(`Invalid character(s) found in build meta data ${goQuote(part)}`);
    }
  }
  return { numbers, pre };
}

/** Removes a leading v and leading zeros, and adds missing parts. */
function normalize(text: string): string {
  const parts = /^v?([^.]*)(?:\.([^.]*)(?:\.([\s\S]*))?)?$/
    .exec(text)
    ?.slice(1)
    .filter((part) => part !== undefined) ?? [text];
  const trimmed = parts.map((part) =>
    part.length > 1 ? part.replace(/^0+/, "").replace(/^(?!\d)/, "0") : part,
  );
  if (trimmed.length < 3 && /[+-]/.test(trimmed.at(-1) ?? "")) {
    throw new Problem("short version cannot contain PreRelease/Build meta data");
  }
  while (trimmed.length < 3) trimmed.push("0");
  return trimmed.join(".");
}

/** The version, or the error. */
function read(text: string, lenient = false): Version | string {
  try {
    return parseVersion(lenient ? normalize(text) : text);
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}

function toSemver(text: string, lenient?: boolean): Value {
  const found = read(text, lenient);
  if (typeof found === "string") throw new CelError(found);
  return SEMVER.of(found);
}

const order = (a: SemverValue, b: SemverValue): number => compareVersions(a.content, b.content);

export const semverFunctions = (): FunctionDecl[] => [
  declare("semver(string, bool?) -> Semver", toSemver, scan),
  declare(
    "isSemver(string, bool?) -> bool",
    (text: string, lenient?: boolean) => typeof read(text, lenient) !== "string",
    scan,
  ),
  declare("Semver.isGreaterThan(Semver) -> bool", (a: SemverValue, b: SemverValue) => order(a, b) > 0),
  declare("Semver.isLessThan(Semver) -> bool", (a: SemverValue, b: SemverValue) => order(a, b) < 0),
  declare("Semver.compareTo(Semver) -> int", (a: SemverValue, b: SemverValue) => BigInt(order(a, b))),
  ...["major", "minor", "patch"].map((name, index) =>
    declare(`Semver.${name}() -> int`, ({ content }: SemverValue) => content.numbers[index] ?? 0n),
  ),
];
