// How much work it is to check a value against a schema, by a bound that is found fast: who has little time asks first.
// Each part of a value meets the schema of its place and, with alternatives, every schema inside of them.

import { patternSize } from "../../go/pattern-size.ts";
import { isObject, type JsonObject } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { BRANCHES, type JsonSchema, partsOf } from "../schema-node.ts";

/** Compiling takes about 0.1 ms for so many instructions, and for any pattern. */
const SIZE_OF_ANY_PATTERN = 50;

/** What can be checked in some 30 ms, compiling included. */
const NODES_MAX = 5000;
const PATTERN_SIZES_MAX = 20_000;
const RULES_MAX = 200;
const CHECKS_MAX = 100_000;
/** Letters of texts times sizes of patterns. */
const MATCHING_MAX = 2_000_000;

/**
 * Whether a check of the value may take longer than a thread that answers others can spare. `apart` is a part of it that
 * the schema says nothing about.
 */
export function isHeavyCheck(raw: JsonSchema, value: unknown, apart?: object): boolean {
  const work = schemaWork(raw);
  if (work === undefined || work.patternSizes > PATTERN_SIZES_MAX || work.rules > RULES_MAX) return true;
  const perText = work.patternSizesPerText;
  const lettersMax = perText === 0 ? Number.POSITIVE_INFINITY : MATCHING_MAX / perText;
  return !isWithin(value, CHECKS_MAX / work.checksPerPart, lettersMax, apart);
}

/** What a definition's schemas may hold to be checked in some 30 ms: each rule and each pattern is compiled. */
const DECLARED_NODES_MAX = 2000;
const DECLARED_RULES_MAX = 50;

/** Whether it takes long to see if a definition may have these schemas. */
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

/** Whether the value has at most so many parts, and its texts so many letters; looks no further than it must. */
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

/** Whether a value has at most so many parts. */
export const hasAtMost = (parts: number, value: unknown): boolean =>
  isWithin(value, parts, Number.POSITIVE_INFINITY);

const known = new WeakMap<JsonSchema, SchemaWork | "too large">();

/** undefined: there are more than NODES_MAX schemas, and who has seen so many looks no further. */
function schemaWork(raw: JsonSchema): SchemaWork | undefined {
  let work = known.get(raw);
  if (work === undefined) {
    work = measure(raw, { left: NODES_MAX }) ?? "too large";
    known.set(raw, work);
  }
  return work === "too large" ? undefined : work;
}

/** Of the schema alone, without those inside of it. */
function ownWork(raw: JsonSchema) {
  const checks = 1 + lengthOf(raw["enum"]) + lengthOf(raw["required"]);
  const { pattern } = raw;
  const size = typeof pattern === "string" && pattern !== "" ? patternSize(pattern) + SIZE_OF_ANY_PATTERN : 0;
  return {
    /** Schemas inside of the schema, itself included. */
    nodes: 1,
    /** Sizes of all patterns, which have to be compiled. */
    patternSizes: size + sizesInRules(raw["x-kubernetes-validations"]),
    /** CEL rules. */
    rules: lengthOf(raw["x-kubernetes-validations"]),
    /** Checks of all schemas together. */
    checks,
    /** Checks that one part of a value meets at most. */
    checksPerPart: checks,
    /** Sizes of the patterns that one text of a value meets at most; rules count what they match by themselves. */
    patternSizesPerText: size,
  };
}

/** Rules that match a pattern compile it; a text is no larger than the patterns in it. */
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

/** undefined: more schemas than are left. */
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
