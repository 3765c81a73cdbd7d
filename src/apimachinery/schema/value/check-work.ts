// Estimates the work of validating a value by a schema, as an upper bound that is cheap to compute. Large checks are
// moved to a worker thread. Each part of a value is validated by the schema of its position and, with alternatives, by
// every schema inside of them.

import { patternSize } from "../../go/pattern-size.ts";
import { isObject, type JsonObject } from "../../json/json.ts";
import { append } from "../../meta/lists.ts";
import { BRANCHES, type JsonSchema, partsOf } from "../schema-node.ts";

/** Program size of a pattern that counts for any: compiling that many instructions takes about 0.1 ms. */
const SIZE_OF_ANY_PATTERN = 50;

/** Limits of a check that takes some 30 ms, compiling included. */
const NODES_MAX = 5000;
const PATTERN_SIZES_MAX = 20_000;
const RULES_MAX = 200;
const CHECKS_MAX = 100_000;
/** Text length times pattern size. */
const MATCHING_MAX = 2_000_000;

/**
 * Reports whether validation of the value may block the event loop for too long. `apart` is a part of the value without a
 * schema.
 */
export function isHeavyCheck(raw: JsonSchema, value: unknown, apart?: object): boolean {
  const work = schemaWork(raw);
  if (work === undefined || work.patternSizes > PATTERN_SIZES_MAX || work.rules > RULES_MAX) return true;
  const perText = work.patternSizesPerText;
  const lettersMax = perText === 0 ? Number.POSITIVE_INFINITY : MATCHING_MAX / perText;
  return !isWithin(value, CHECKS_MAX / work.checksPerPart, lettersMax, apart);
}

/** Limits of a CRD's schemas that are validated in some 30 ms: each rule and each pattern is compiled. */
const DECLARED_NODES_MAX = 2000;
const DECLARED_RULES_MAX = 50;

/** Reports whether validation of a CRD with these schemas takes long. */
export function isHeavySchema(raws: readonly JsonSchema[]): boolean {
  let [nodes, sizes, rules] = [0, 0, 0];
  for (const raw of raws) {
    const work = schemaWork(raw);
    if (work === undefined) return true;
    nodes += work.nodes;
    sizes += work.patternSizes;
    rules += work.rules;
  }
  return nodes > DECLARED_NODES_MAX || sizes > PATTERN_SIZES_MAX || rules > DECLARED_RULES_MAX;
}

/** Reports whether the value has at most so many parts, and its texts so many characters; stops at the limit. */
function isWithin(value: unknown, partsMax: number, lettersMax: number, apart?: object): boolean {
  let parts = 0;
  let letters = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (typeof part === "string") letters += part.length;
    if (++parts + waiting.length > partsMax || letters > lettersMax) return false;
    if (typeof part !== "object" || part === null || part === apart) continue;
    const isList = Array.isArray(part);
    const keys = isList ? [] : Object.keys(part);
    if (parts + waiting.length + (isList ? part : keys).length > partsMax) return false;
    if (isList) append(waiting, part);
    else for (const key of keys) waiting.push((part as JsonObject)[key]); // an object that is no list
  }
  return true;
}

/** Reports whether a value has at most so many parts. */
export const hasAtMost = (parts: number, value: unknown): boolean =>
  isWithin(value, parts, Number.POSITIVE_INFINITY);

const known = new WeakMap<JsonSchema, SchemaWork | "too large">();

/** undefined: more than NODES_MAX schemas, where counting stops. */
function schemaWork(raw: JsonSchema): SchemaWork | undefined {
  let work = known.get(raw);
  if (work === undefined) {
    work = measure(raw, { left: NODES_MAX }) ?? "too large";
    known.set(raw, work);
  }
  return work === "too large" ? undefined : work;
}

/** Work of the schema itself, without those inside of it. */
function ownWork(raw: JsonSchema) {
  const checks = 1 + lengthOf(raw["enum"]) + lengthOf(raw["required"]);
  const { pattern } = raw;
  const size = typeof pattern === "string" && pattern !== "" ? patternSize(pattern) + SIZE_OF_ANY_PATTERN : 0;
  return {
    /** Number of schemas, itself included. */
    nodes: 1,
    /** Total size of all patterns, which have to be compiled. */
    patternSizes: size + sizesInRules(raw["x-kubernetes-validations"]),
    /** Number of CEL rules. */
    rules: lengthOf(raw["x-kubernetes-validations"]),
    /** Number of checks of all schemas. */
    checks,
    /** Maximal number of checks for one part of a value. */
    checksPerPart: checks,
    /** Maximal total size of the patterns for one text of a value; rules account for their own matching. */
    patternSizesPerText: size,
  };
}

/** Rules that match a pattern compile it; the rule's length bounds the size of its patterns. */
function sizesInRules(rules: unknown): number {
  if (!Array.isArray(rules)) return 0;
  let sizes = 0;
  for (const rule of rules) {
    const text = isObject(rule) ? rule["rule"] : undefined;
    if (typeof text === "string" && USES_PATTERN.test(text)) sizes += patternSize(text);
  }
  return sizes;
}

const USES_PATTERN = /\b(matches|find|findAll)\s*\(/;

type SchemaWork = ReturnType<typeof ownWork>;

/** undefined: more schemas than `left`. */
function measure(raw: JsonSchema, nodes: { left: number }): SchemaWork | undefined {
  if (--nodes.left < 0) return undefined;
  const sum = ownWork(raw);
  let [checksBelow, sizesBelow] = [0, 0];
  for (const { part, keyword } of partsOf(raw)) {
    const found = measure(part, nodes);
    if (found === undefined) return undefined;
    sum.nodes += found.nodes;
    sum.patternSizes += found.patternSizes;
    sum.rules += found.rules;
    sum.checks += found.checks;
    if (BRANCHES.includes(keyword)) {
      sum.checksPerPart += found.checks;
      sum.patternSizesPerText += found.patternSizes;
    } else {
      checksBelow = Math.max(checksBelow, found.checksPerPart);
      sizesBelow = Math.max(sizesBelow, found.patternSizesPerText);
    }
  }
  sum.checksPerPart += checksBelow;
  sum.patternSizesPerText += sizesBelow;
  return sum;
}

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);
