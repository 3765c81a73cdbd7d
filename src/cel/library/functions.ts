// All functions and type names that a rule may use, put together once when the first rule is compiled.
import type { FunctionDecl } from "../language/overload.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  TIMESTAMP,
  TYPE,
  UINT,
} from "../language/types.ts";
import { arithmeticFunctions } from "./arithmetic.ts";
import { conversionFunctions } from "./conversions.ts";
import { kubernetesListFunctions, listExtensionFunctions } from "./kubernetes/list-functions.ts";
import { namedFormatFunctions } from "./kubernetes/named-formats.ts";
import { CIDR, IP, networkFunctions } from "./kubernetes/network-functions.ts";
import { quantityFunctions } from "./kubernetes/quantity-functions.ts";
import { regularExpressionFunctions } from "./kubernetes/regular-expressions.ts";
import { semverFunctions } from "./kubernetes/semver.ts";
import { setFunctions } from "./kubernetes/sets.ts";
import { urlFunctions } from "./kubernetes/urls.ts";
import { operatorFunctions } from "./operators.ts";
import { optionalFunctions } from "./optionals.ts";
import { stringFunctions, textTestFunctions } from "./strings.ts";
import { timeFunctions } from "./time-functions.ts";

let functions: ReadonlyMap<string, FunctionDecl> | undefined;
let typeNames: ReadonlyMap<string, CelType> | undefined;

export function libraryFunctions(): ReadonlyMap<string, FunctionDecl> {
  functions ??= collect([
    ...operatorFunctions(),
    ...arithmeticFunctions(),
    ...conversionFunctions(),
    ...textTestFunctions(),
    ...timeFunctions(),
    ...optionalFunctions(),
    ...stringFunctions(),
    ...kubernetesListFunctions(),
    ...listExtensionFunctions(),
    ...setFunctions(),
    ...regularExpressionFunctions(),
    ...networkFunctions(),
    ...quantityFunctions(),
    ...semverFunctions(),
    ...urlFunctions(),
    ...namedFormatFunctions(),
  ]);
  return functions;
}

/** Libraries may add overloads to each other's functions. */
function collect(declared: readonly FunctionDecl[]): ReadonlyMap<string, FunctionDecl> {
  const byName = new Map<string, FunctionDecl>();
  for (const { name, overloads } of declared) {
    byName.set(name, { name, overloads: [...(byName.get(name)?.overloads ?? []), ...overloads] });
  }
  return byName;
}

export function libraryTypeNames(): ReadonlyMap<string, CelType> {
  const anyList = listOf(DYN);
  const anyMap = mapOf(DYN, DYN);
  const named = [BOOL, BYTES, DOUBLE, DURATION, INT, NULL, STRING, TIMESTAMP, TYPE, UINT, IP, CIDR];
  typeNames ??= new Map([...named, anyList, anyMap, optionalOf(DYN)].map((type) => [type.name, type]));
  return typeNames;
}
