// Command lines in the syntax of Go programs: `--key value`, `--key=value`, booleans without a value. A
// kube-apiserver uses pflag; etcd uses the package flag, which accepts one or two dashes. Error texts equal theirs.
import { isIP } from "node:net";
import { durationComplaint, isDurationShaped } from "../../apimachinery/go/duration.ts";
import { parseGoBool, parseGoFloat } from "../../apimachinery/go/strconv.ts";
import { UsageError } from "../../server/errors.ts";

/** Type names in the help of Go programs. */
export type GoFlagType =
  | "bool"
  | "int"
  | "float"
  | "duration"
  | "string"
  | "ip"
  /** Comma-separated items; a repeated flag appends. */
  | "strings"
  /** Items are not split. */
  | "stringArray"
  /** Comma-separated `key=value` pairs; a repeated flag appends. */
  | "mapStringString";

/** The flag definition that the parser needs. */
export interface GoFlag {
  readonly name: string;
  readonly type: GoFlagType;
  /** One letter: "v" for -v. */
  readonly short?: string;
}

/** The texts given for each flag, in order; flags that are not given are absent. A boolean has "true" or "false". */
export type GoValues = ReadonlyMap<string, readonly string[]>;

export interface GoSyntax {
  /** Whether one dash begins a name (package flag) or a list of letters (pflag). */
  readonly oneDash: "name" | "letters";
}

/** Throws UsageError. Positional arguments are rejected, because neither program accepts any. */
export function readGoFlags(flags: readonly GoFlag[], args: readonly string[], syntax: GoSyntax): GoValues {
  const values = new Map<string, string[]>();
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    const { name, value, raw } = partsOf(word, flags, syntax);
    const flag = flags.find((item) => item.name === name);
    if (flag === undefined) throw new UsageError(`unknown flag: ${raw}`);
    const text = value ?? (flag.type === "bool" ? "true" : args[++at]);
    if (text === undefined) throw new UsageError(`flag needs an argument: ${raw}`);
    values.set(flag.name, [...(values.get(flag.name) ?? []), checked(flag, text)]);
  }
  return values;
}

interface Parts {
  readonly name: string;
  /** The value after `=`; undefined without one. */
  readonly value: string | undefined;
  /** The argument without the value. */
  readonly raw: string;
}

function partsOf(word: string, flags: readonly GoFlag[], { oneDash }: GoSyntax): Parts {
  const [, dashes = "", given = "", , value] = /^(-{0,2})([^=]*)(=([\s\S]*))?$/.exec(word) ?? [];
  if (dashes === "" || given === "")
    throw new UsageError(`does not take any arguments, got [${JSON.stringify(word)}]`);
  if (dashes === "--" || oneDash === "name")
    return { name: given.replaceAll("_", "-"), value, raw: `${dashes}${given}` };
  const [letter = ""] = given;
  const flag = flags.find(({ short }) => short === letter);
  if (flag === undefined) throw new UsageError(`unknown shorthand flag: '${letter}' in ${word}`);
  const rest = word.slice(dashes.length + 1).replace(/^=/, "");
  return { name: flag.name, value: rest === "" ? undefined : rest, raw: `'${letter}' in ${word}` };
}

/** The normalized value. Throws UsageError for an invalid value of the type. */
function checked({ name, type }: GoFlag, text: string): string {
  if (type === "bool") {
    const isOn = parseGoBool(text);
    if (isOn !== undefined) return String(isOn);
    throw invalid(name, text, `strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  if (type === "int" && !/^[-+]?\d+$/.test(text))
    throw invalid(name, text, `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  if (type === "float" && parseGoFloat(text) === undefined)
    throw invalid(name, text, `strconv.ParseFloat: parsing ${JSON.stringify(text)}: invalid syntax`);
  if (type === "duration" && !isDurationShaped(text)) throw invalid(name, text, durationComplaint(text));
  if (type === "ip" && isIP(text) === 0)
    throw invalid(name, text, `failed to parse IP: ${JSON.stringify(text)}`);
  if (type === "mapStringString" && text !== "" && !text.includes("="))
    throw invalid(name, text, `malformed pair, expect string=string`);
  return text;
}

const invalid = (name: string, text: string, reason: string): UsageError =>
  new UsageError(`invalid argument ${JSON.stringify(text)} for "--${name}" flag: ${reason}`);

/** The last text given for a flag, which takes effect; undefined without one. */
export const lastOf = (values: GoValues, name: string): string | undefined => values.get(name)?.at(-1);

/** The items given for a flag of the type `strings`. */
export const listOf = (values: GoValues, name: string): readonly string[] =>
  (values.get(name) ?? []).flatMap((text) => text.split(",")).filter((item) => item !== "");
