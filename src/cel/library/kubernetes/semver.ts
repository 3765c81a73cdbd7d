// semver(): versions by the rules of semver.org, compared by precedence.

import { goQuote } from "../../../go/strconv.ts";
import { type FunctionDecl, global, member } from "../../language/overload.ts";
import { BOOL, type CelType, INT, STRING, struct } from "../../language/types.ts";
import { CelError } from "../../values/cel-error.ts";
import type { OpaqueValue, Value } from "../../values/value.ts";
import { boolAt, instanceAt, Opaque, textAt } from "../args.ts";

const SEMVER = struct("kubernetes.Semver");
const UINT_MAX = 2n ** 64n - 1n;

interface Version {
  readonly numbers: readonly bigint[];
  readonly pre: readonly (bigint | string)[];
}

class SemverValue extends Opaque {
  readonly celType: CelType = SEMVER;
  readonly version: Version;
  constructor(version: Version) {
    super();
    this.version = version;
  }
  equals(other: OpaqueValue): boolean {
    return other instanceof SemverValue && compareVersions(this.version, other.version) === 0;
  }
}

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

/** Numbers stand before words. */
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

/** Takes a leading v and leading zeros away and fills up missing parts. */
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

/** The version, or what is wrong with the text. */
function read(args: readonly Value[]): Version | string {
  const text = textAt(args, 0);
  try {
    return parseVersion(args.length > 1 && boolAt(args, 1) ? normalize(text) : text);
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}

function toSemver(args: readonly Value[]): Value {
  const found = read(args);
  if (typeof found === "string") throw new CelError(found);
  return new SemverValue(found);
}

const order = (args: readonly Value[]): number =>
  compareVersions(instanceAt(args, 0, SemverValue).version, instanceAt(args, 1, SemverValue).version);

const numberFunction = (name: string, index: number): FunctionDecl => ({
  name,
  overloads: [
    member(
      `semver_${name}`,
      [SEMVER],
      INT,
      (args) => instanceAt(args, 0, SemverValue).version.numbers[index] ?? 0n,
    ),
  ],
});

export function semverFunctions(): FunctionDecl[] {
  const isSemver = (args: readonly Value[]): Value => typeof read(args) !== "string";
  const pair = [SEMVER, SEMVER];
  return [
    {
      name: "semver",
      overloads: [
        global("string_to_semver", [STRING], SEMVER, toSemver),
        global("string_bool_to_semver", [STRING, BOOL], SEMVER, toSemver),
      ],
    },
    {
      name: "isSemver",
      overloads: [
        global("is_semver_string", [STRING], BOOL, isSemver),
        global("is_semver_string_bool", [STRING, BOOL], BOOL, isSemver),
      ],
    },
    {
      name: "isGreaterThan",
      overloads: [member("semver_is_greater_than", pair, BOOL, (args) => order(args) > 0)],
    },
    { name: "isLessThan", overloads: [member("semver_is_less_than", pair, BOOL, (args) => order(args) < 0)] },
    { name: "compareTo", overloads: [member("semver_compare_to", pair, INT, (args) => BigInt(order(args)))] },
    numberFunction("major", 0),
    numberFunction("minor", 1),
    numberFunction("patch", 2),
  ];
}
