// Properties of the schema walkers, over random schemas and values.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cloneJson, isObject, type JsonObject } from "../../src/apimachinery/json/json.ts";
import { coerceObject, findDecodeError } from "../../src/apimachinery/schema/coerce.ts";
import { compileSchema } from "../../src/apimachinery/schema/compile-schema.ts";
import { applyDefaults } from "../../src/apimachinery/schema/default.ts";
import { normaliseBuiltIn } from "../../src/apimachinery/schema/normalise.ts";
import { pruneUnknownFields } from "../../src/apimachinery/schema/prune.ts";
import type { SchemaNode } from "../../src/apimachinery/schema/schema-node.ts";
import { isCertainlyValid } from "../../src/apimachinery/schema/validate.ts";
import { valueSchema } from "../../src/apimachinery/schema/value/value-schema.ts";
import { explainValue } from "../../src/apimachinery/schema/value/walk.ts";
import { builtInNode } from "../unit/apimachinery/schema/support.ts";

const KEYS = ["a", "b", "c"];
const key = fc.constantFrom(...KEYS);

const text = fc.constantFrom("", "a", "ab", "abc", "1.2.3.4", "x y", "ä漢😀");
const number = fc.constantFrom(-6, -5.5, -1, 0, 0.5, 1, 2, 5, 5.5, 6, 80, 2 ** 31, 2 ** 53, 1e18, 1e300);
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS, "odd"), tie("value"), { maxKeys: 4 }),
  ),
}));

const maybe = <T>(name: string, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<JsonObject> =>
  fc.option(arbitrary, { nil: undefined }).map((found) => (found === undefined ? {} : { [name]: found }));
const allOf = (...parts: fc.Arbitrary<JsonObject>[]): fc.Arbitrary<JsonObject> =>
  fc.tuple(...parts).map((objects) => Object.assign({}, ...objects) as JsonObject); // objects of plain JSON

const bound = fc.constantFrom(-5.5, -1, 0, 1, 2.5, 5, 1e12);
const numberBounds = allOf(
  maybe("minimum", bound),
  maybe("exclusiveMinimum", fc.boolean()),
  maybe("maximum", bound),
  maybe("exclusiveMaximum", fc.boolean()),
  maybe("multipleOf", fc.constantFrom(0.5, 2, 5)),
);
const textBounds = allOf(
  maybe("minLength", fc.nat(3)),
  maybe("maxLength", fc.nat(3)),
  maybe("pattern", fc.constantFrom("^a", "b", "[0-9]+")),
  maybe("format", fc.constantFrom("ipv4", "date", "nosuch", "int32", "float")),
);
const countBounds = allOf(
  maybe("minItems", fc.nat(2)),
  maybe("maxItems", fc.nat(2)),
  maybe("minProperties", fc.nat(2)),
  maybe("maxProperties", fc.nat(2)),
  maybe("required", fc.uniqueArray(key, { maxLength: 2 })),
);
const enumeration = maybe("enum", fc.array(scalar, { minLength: 1, maxLength: 3 }));
const anyBounds = allOf(numberBounds, textBounds, countBounds, enumeration);
const branches = fc.array(anyBounds, { minLength: 1, maxLength: 3 });
const alternatives = allOf(
  maybe("allOf", branches),
  maybe("anyOf", branches),
  maybe("oneOf", branches),
  maybe("not", anyBounds),
);

const shape = (type: string, more: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> =>
  allOf(
    fc.constant({ type }),
    more,
    maybe("nullable", fc.boolean()),
    fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: alternatives }),
  );

const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", maxDepth: 3 },
    shape("string", allOf(textBounds, enumeration, maybe("default", text))),
    shape("integer", allOf(numberBounds, maybe("format", fc.constantFrom("int32", "int64")), enumeration)),
    shape("number", allOf(numberBounds, maybe("format", fc.constantFrom("float", "double")), enumeration)),
    shape("boolean", maybe("default", fc.boolean())),
    fc.constant({ "x-kubernetes-preserve-unknown-fields": true }),
    allOf(fc.constant({ "x-kubernetes-int-or-string": true }), maybe("nullable", fc.boolean())),
    shape(
      "array",
      allOf(
        countBounds,
        tie("schema").map((items) => ({ items })),
      ),
    ),
    shape(
      "object",
      allOf(
        countBounds,
        tie("schema").map((inner) => ({ additionalProperties: inner })),
      ),
    ),
    shape(
      "object",
      allOf(
        countBounds,
        fc.dictionary(key, tie("schema"), { maxKeys: 3 }).map((properties) => ({ properties })),
        maybe("x-kubernetes-preserve-unknown-fields", fc.constant(true)),
      ),
    ),
  ),
}));

const resource = fc.record({ spec: schema }).map((properties) => ({ type: "object", properties }));

describe("value validation", () => {
  test("ajv and the walk agree", () => {
    fc.assert(
      fc.property(schema, value, (raw, candidate) => {
        const compiled = valueSchema(raw);
        const findings = explainValue(compiled, candidate, { root: "" });
        expect({ valid: isCertainlyValid(compiled, candidate), findings }).toEqual({
          valid: findings.length === 0,
          findings,
        });
      }),
      { numRuns: 1500 },
    );
  });

  test("what ajv calls valid has no findings, integers beyond 2^53 included", () => {
    const big = fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(schema, big, fc.boolean(), (raw, integer, inList) => {
        const compiled = valueSchema(raw);
        const candidate = inList ? [integer] : integer;
        if (isCertainlyValid(compiled, candidate)) {
          expect(explainValue(compiled, candidate, { root: "" })).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("what did not change has no findings, as long as the schema knows all of it", () => {
    fc.assert(
      fc.property(resource, value, (raw, spec) => {
        fc.pre(!JSON.stringify(raw).includes("preserve-unknown"));
        const old = { spec: cloneJson(spec) };
        pruneUnknownFields(compileSchema(raw), old);
        expect(explainValue(valueSchema(raw), cloneJson(old), { root: "", old })).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

describe("walkers", () => {
  const twice = (act: (node: SchemaNode, object: JsonObject) => void): void => {
    fc.assert(
      fc.property(resource, value, (raw, spec) => {
        const node = compileSchema(raw);
        const object = { spec: cloneJson(spec) };
        act(node, object);
        const once = cloneJson(object);
        act(node, object);
        expect(object).toEqual(once);
      }),
      { numRuns: 300 },
    );
  };

  test("defaulting twice is defaulting once", () => twice(applyDefaults));
  test("pruning twice is pruning once", () => twice(pruneUnknownFields));
  test("decoding twice is decoding once", () => twice(coerceObject));

  test("pruning drops no known field and names each field that it drops", () => {
    fc.assert(
      fc.property(resource, value, (raw, spec) => {
        const node = compileSchema(raw);
        const object = { spec: cloneJson(spec) };
        const dropped = pruneUnknownFields(node, object);
        expect(countMembers({ spec }) - countMembers(object) > 0).toBe(dropped.length > 0);
        expect(countKnown(node, object)).toBe(countKnown(node, { spec }));
      }),
      { numRuns: 300 },
    );
  });

  test("defaulting changes nothing that is given, except nulls", () => {
    fc.assert(
      fc.property(resource, value, (raw, spec) => {
        const object = { spec: cloneJson(spec) };
        applyDefaults(compileSchema(raw), object);
        expect(contains(object, { spec })).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

function countMembers(candidate: unknown): number {
  if (Array.isArray(candidate)) return candidate.reduce<number>((sum, item) => sum + countMembers(item), 0);
  if (!isObject(candidate)) return 0;
  return Object.values(candidate).reduce<number>((sum, item) => sum + 1 + countMembers(item), 0);
}

/** Counts the members that the schema declares, below declared members. */
function countKnown(node: SchemaNode, candidate: unknown): number {
  if (Array.isArray(candidate)) {
    return candidate.reduce<number>((sum, item) => sum + (node.items ? countKnown(node.items, item) : 0), 0);
  }
  if (!isObject(candidate)) return 0;
  let count = 0;
  for (const [name, item] of Object.entries(candidate)) {
    const known = node.properties.get(name) ?? node.additionalProperties;
    if (typeof known === "object") count += 1 + countKnown(known, item);
  }
  return count;
}

/** Reports whether the whole contains everything of the part. */
function contains(whole: unknown, part: unknown): boolean {
  if (part === null) return true;
  if (Array.isArray(part)) {
    return Array.isArray(whole) && part.every((item, index) => contains(whole[index], item));
  }
  if (!isObject(part)) return Object.is(whole, part) || whole === part;
  return isObject(whole) && Object.keys(part).every((name) => contains(whole[name], part[name]));
}

describe("built-in kinds", () => {
  const service = builtInNode("core", "Service");
  const zeroes = fc.constantFrom(null, "", 0, false, {}, []);
  const port = fc.record(
    {
      port: fc.oneof(fc.nat(65535), fc.constant(null)),
      name: text,
      targetPort: fc.oneof(text, fc.nat(9)),
      protocol: text,
    },
    { requiredKeys: [] },
  );
  const spec = fc.record(
    {
      ports: fc.oneof(fc.array(port, { maxLength: 3 }), fc.constant(null)),
      selector: fc.dictionary(key, fc.oneof(text, fc.constant(null))),
      clusterIP: fc.oneof(text, fc.constant(null)),
      allocateLoadBalancerNodePorts: fc.oneof(fc.boolean(), fc.constant(null)),
      sessionAffinityConfig: fc.constantFrom(null, {}, { clientIP: {} }, { clientIP: { timeoutSeconds: 0 } }),
      publishNotReadyAddresses: fc.boolean(),
    },
    { requiredKeys: [] },
  );

  test("normalising twice is normalising once, and the result can be read", () => {
    fc.assert(
      fc.property(spec, (given) => {
        const object: JsonObject = { metadata: { name: "s" }, spec: cloneJson(given) };
        expect(findDecodeError(service, object)).toBeUndefined();
        normaliseBuiltIn(service, object);
        const once = cloneJson(object);
        normaliseBuiltIn(service, object);
        expect(object).toEqual(once);
        expect(findDecodeError(service, object)).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  test("any zero value in place of the status leaves the empty status or is refused", () => {
    fc.assert(
      fc.property(zeroes, (status) => {
        const object: JsonObject = { metadata: {}, spec: {}, status: cloneJson(status) };
        if (findDecodeError(service, object) !== undefined) return;
        normaliseBuiltIn(service, object);
        expect(object["status"]).toEqual({ loadBalancer: {} });
      }),
    );
  });
});
