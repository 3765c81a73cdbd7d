// Random values for a structural schema: valid ones, and almost valid ones.
import fc from "fast-check";
import { isObject, type JsonObject } from "../../../src/apimachinery/json/json.ts";

export const TEXTS = [
  "x",
  "yes",
  "ä漢😀",
  "10",
  "1.0",
  "null",
  "a b",
  "#c",
  "-",
  "~",
  "1e3",
  "0o7",
  "",
  "a\nb\t",
  "'\"",
];
const LETTERS = fc.constantFrom(..."abcxyz");
const BIG = 2n ** 53n + 1n;

const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ maxLength: 8 }));
const double = fc
  .double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 })
  .map((value) => (Object.is(value, -0) ? 0 : value));

/** Any JSON, small. */
export const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small", maxDepth: 2 },
    text,
    fc.integer({ min: -9, max: 99 }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("json"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "b", "odd"), tie("json"), { maxKeys: 2, noNullPrototype: true }),
  ),
}));

type Inner = (schema: JsonObject) => fc.Arbitrary<unknown>;

/** A value that matches the schema and contains no unknown field. */
export function fitting(schema: JsonObject): fc.Arbitrary<unknown> {
  return orNull(schema, shaped(schema, fitting));
}

/** Mostly such a value, with an occasional wrong type, null or unknown field. */
export function nearly(schema: JsonObject): fc.Arbitrary<unknown> {
  const inner = shaped(schema, nearly);
  const withOdd = fc.tuple(inner, json).map(([value, odd]) => (isObject(value) ? { ...value, odd } : value));
  return fc.oneof(
    { weight: 20, arbitrary: orNull(schema, inner) },
    { weight: 2, arbitrary: withOdd },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: json },
  );
}

function orNull(schema: JsonObject, value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const takesNull = schema["nullable"] === true && schema["enum"] === undefined; // an enum never allows null
  return takesNull ? fc.option(value, { freq: 4, nil: null }) : value;
}

function shaped(schema: JsonObject, inner: Inner): fc.Arbitrary<unknown> {
  if (schema["x-kubernetes-int-or-string"] === true) return fc.oneof(fc.nat(99), text);
  switch (schema["type"]) {
    case "string":
      return fittingText(schema);
    case "integer":
      return fittingInteger(schema);
    case "number":
      return double.filter((value) => value >= Number(schema["minimum"] ?? -Infinity));
    case "boolean":
      return fc.boolean();
    case "array":
      return fittingList(schema, inner);
    default:
      return fittingObject(schema, inner);
  }
}

function fittingText(schema: JsonObject): fc.Arbitrary<string> {
  const {
    enum: words,
    pattern,
    format,
    minLength = 0,
    maxLength = 4,
  } = schema as {
    enum?: string[];
    pattern?: string;
    format?: string;
    minLength?: number;
    maxLength?: number;
  }; // made by schemas.ts
  if (words) return fc.constantFrom(...words);
  if (format === "ipv4") return fc.constantFrom("10.0.0.1", "192.168.0.200");
  if (pattern) return fc.string({ unit: LETTERS, minLength, maxLength: Math.max(minLength, maxLength) });
  return text;
}

function fittingInteger(schema: JsonObject): fc.Arbitrary<number | bigint> {
  const {
    minimum: min = -99,
    maximum: max = 999,
    format,
  } = schema as {
    minimum?: number;
    maximum?: number;
    format?: string;
  }; // made by schemas.ts
  const small = fc.integer({ min, max });
  const isOpen = schema["maximum"] === undefined && format !== "int32";
  return isOpen
    ? fc.oneof({ weight: 9, arbitrary: small }, { weight: 1, arbitrary: fc.constant(BIG) })
    : small;
}

function fittingList(schema: JsonObject, inner: Inner): fc.Arbitrary<unknown[]> {
  const items = schema["items"] as JsonObject; // a structural schema declares the items of a list
  const item = inner(items);
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      return fc.uniqueArray(item, { maxLength: 3, selector: keyText });
    case "map": {
      const keys = schema["x-kubernetes-list-map-keys"] as string[]; // of such a list
      const properties = items["properties"] as Record<string, JsonObject>;
      return fc.uniqueArray(item, {
        maxLength: 3,
        selector: (value) =>
          keys
            .map((name) => keyText((isObject(value) && value[name]) ?? properties[name]?.["default"]))
            .join(),
      });
    }
    default:
      return fc.array(item, { maxLength: 3 });
  }
}

function keyText(value: unknown): string {
  return typeof value === "bigint" ? String(value) : JSON.stringify(value);
}

function fittingObject(schema: JsonObject, inner: Inner): fc.Arbitrary<JsonObject> {
  const properties = (schema["properties"] ?? {}) as Record<string, JsonObject>;
  const required = (schema["required"] ?? []) as string[];
  const more = schema["additionalProperties"];
  const names = fc.constantFrom("a", "b", "k.l", "m/n");
  const known = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, inner(field)])),
    { requiredKeys: required, noNullPrototype: true },
  );
  if (isObject(more)) return fc.dictionary(names, inner(more), { maxKeys: 3, noNullPrototype: true });
  if (schema["x-kubernetes-preserve-unknown-fields"] !== true) return known;
  const free = fc.dictionary(fc.constantFrom("p", "q"), withoutNull(json), {
    maxKeys: 2,
    noNullPrototype: true,
  });
  return fc.tuple(known, free).map(([object, others]) => ({ ...others, ...object }));
}

function withoutNull(arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return arbitrary.filter((value) => !JSON.stringify(value).includes("null"));
}

/** The number of runs; FC_SCALE multiplies them, FC_SEED repeats those of a printed seed. */
export function runs(numRuns: number): { numRuns: number; seed?: number } {
  const { FC_SCALE: scale, FC_SEED: seed } = process.env;
  return { numRuns: numRuns * Number(scale ?? 1), ...(seed ? { seed: Number(seed) } : {}) };
}
