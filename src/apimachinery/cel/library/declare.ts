// Declarations of functions by signatures in the notation of the language's documents: "string.indexOf(string, int?) ->
// int". A single capital letter is a type parameter, and a last parameter with a question mark is optional. The checker
// uses the types, the planner the code, and both cost calculations the price.
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  formatType,
  INT,
  listOf,
  mapOf,
  optionalOf,
  param,
  STRING,
  TIMESTAMP,
  typeOf,
  UINT,
} from "../language/types.ts";
import type { Value } from "../values/value.ts";
import { type Price, UNIT } from "./price.ts";

/** Receives the arguments as the signature declares them, the receiver first. */
export type Run = (...args: never[]) => Value;

export interface Overload {
  readonly isMember: boolean;
  /** For a member function the first is the receiver. */
  readonly args: readonly CelType[];
  readonly result: CelType;
  /** Names of the type parameters in args and result. */
  readonly typeParams: readonly string[];
  /** undefined: the planner implements it (logic, conditions, indexing …). */
  readonly run: Run | undefined;
}

export interface FunctionDecl {
  readonly name: string;
  readonly overloads: readonly Overload[];
  readonly price: Price;
  /** It accepts any values and checks their types itself, with error messages of its own. */
  readonly looksItself: boolean;
}

export type Functions = ReadonlyMap<string, FunctionDecl>;

/** What an expression may refer to: variables, functions, and the names of types. */
export interface Environment {
  /** In the order of their slots in an evaluation. */
  readonly variables: ReadonlyMap<string, CelType>;
  readonly functions: Functions;
  /** Names of types ("int", "list"). */
  readonly typeNames: ReadonlyMap<string, CelType>;
  /** The type of the messages that expressions can create by a name (Name{field: value}); left out: there are none. */
  messageType?(name: string): CelType | undefined;
}

type Types = ReadonlyMap<string, CelType>;
export type Declare = (signature: string, run?: Run, price?: Price) => FunctionDecl;

const NAMED: Types = new Map(
  [BOOL, BYTES, DOUBLE, DURATION, DYN, INT, STRING, TIMESTAMP, UINT].map((type) => [formatType(type), type]),
);

const GENERIC = new Map<string, (params: readonly CelType[]) => CelType>([
  ["list", ([item = DYN]) => listOf(item)],
  ["map", ([key = DYN, value = DYN]) => mapOf(key, value)],
  ["optional", ([inner = DYN]) => optionalOf(inner)],
  ["type", ([of = DYN]) => typeOf(of)],
]);

const SIGNATURE = /^(?:(.+)\.)?([^.(]+)\((.*)\) -> (.+)$/;

/** Declares overloads that share their code, with additional named types. */
export function declareWith(types: Readonly<Record<string, CelType>>, looksItself = false): Declare {
  const named = new Map([...NAMED, ...Object.entries(types)]);
  return (signature, run, price = UNIT) => {
    const [, before = "", last = "", params = "", to = ""] = SIGNATURE.exec(signature) ?? [];
    const isMember = before.includes("(") || named.has(before);
    const args = isMember ? [before, params].join(" ") : params;
    const [result = DYN] = readTypes(wordsOf(to), named);
    const overload = (of: string): Overload => {
      const taken = readTypes(wordsOf(of), named);
      return { isMember, args: taken, result, typeParams: paramsOf([...taken, result]), run };
    };
    const overloads = args.endsWith("?")
      ? [overload(args.replace(/[^ ]+\?$/, "")), overload(args.slice(0, -1))]
      : [overload(args)];
    return { name: isMember || before === "" ? last : `${before}.${last}`, overloads, price, looksItself };
  };
}

export const declare = declareWith({});
/** Declares functions that check the types of their arguments themselves. */
export const declareOpen = declareWith({}, true);

/** A type in the notation of signatures. */
export const typeOfText = (text: string): CelType => readTypes(wordsOf(text), NAMED)[0] ?? DYN;

const wordsOf = (text: string): string[] => text.match(/\w+|[()]/g) ?? [];

/** Reads types up to a closing parenthesis or the end. */
function readTypes(words: string[], named: Types): CelType[] {
  const types: CelType[] = [];
  for (let name = words.shift(); name !== undefined && name !== ")"; name = words.shift()) {
    const generic = words[0] === "(" ? GENERIC.get(name) : undefined;
    if (generic) words.shift();
    types.push(generic?.(readTypes(words, named)) ?? named.get(name) ?? param(name));
  }
  return types;
}

function paramsOf(types: readonly CelType[]): string[] {
  const found = new Set<string>();
  const look = (type: CelType): void => {
    if (type.kind === "param") found.add(type.name);
    type.params.forEach(look);
  };
  types.forEach(look);
  return [...found];
}

/** All functions by their names. Several declarations may add overloads to one; the first price that is set counts. */
export function functionsOf(declared: Iterable<FunctionDecl>, known?: Functions): Functions {
  const byName = new Map(known);
  for (const fn of declared) {
    const before = byName.get(fn.name);
    if (!before) byName.set(fn.name, fn);
    else {
      const price = before.price === UNIT ? fn.price : before.price;
      byName.set(fn.name, { ...before, price, overloads: [...before.overloads, ...fn.overloads] });
    }
  }
  return byName;
}
