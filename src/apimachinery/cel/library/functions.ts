// All functions and type names of rules, created when the first rule is compiled.
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
import { type Environment, type Functions, functionsOf } from "./declare.ts";
import { namedFormatFunctions } from "./kubernetes/named-formats.ts";
import { CIDR, IP, networkFunctions, urlFunctions } from "./kubernetes/network.ts";
import { quantityFunctions } from "./kubernetes/quantities.ts";
import { semverFunctions } from "./kubernetes/semver.ts";
import { kubernetesListFunctions, listExtensionFunctions, setFunctions } from "./lists.ts";
import { operatorFunctions } from "./operators.ts";
import { optionalFunctions } from "./optionals.ts";
import { regularExpressionFunctions, stringFunctions, textTestFunctions } from "./strings.ts";
import { timeFunctions } from "./time-functions.ts";

const allFunctions = (): Functions =>
  functionsOf([
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

const PLAIN = [BOOL, BYTES, DOUBLE, DURATION, INT, NULL, STRING, TIMESTAMP, TYPE, UINT];

const allTypes = (): ReadonlyMap<string, CelType> =>
  new Map(
    [...PLAIN, IP.type, CIDR.type, listOf(DYN), mapOf(DYN, DYN), optionalOf(DYN)].map((type) => [
      type.name,
      type,
    ]),
  );

let library: Pick<Environment, "functions" | "typeNames"> | undefined;

export function kubernetesLibrary(): Pick<Environment, "functions" | "typeNames"> {
  library ??= { functions: allFunctions(), typeNames: allTypes() };
  return library;
}
