import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  equalJson,
  freezeJson,
  isObject,
  type JsonObject,
  setOwn,
} from "../../src/apimachinery/json/json.ts";
import { StatusError } from "../../src/apimachinery/meta/status.ts";
import { applyJsonPatch, readJsonPatch } from "../../src/apimachinery/patch/json-patch.ts";
import { applyMergePatch } from "../../src/apimachinery/patch/merge-patch.ts";
import { mergeStrategically } from "../../src/apimachinery/patch/strategic-merge-patch.ts";
import { coreNode } from "../unit/apimachinery/patch/support.ts";

const key = fc.oneof(
  fc.constantFrom(
    "a",
    "b",
    "c",
    "",
    "a/b",
    "a~b",
    "__proto__",
    "constructor",
    "~constructor",
    "hasOwnProperty",
  ),
  fc.string({ maxLength: 4 }),
);
const scalar = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.string({ maxLength: 4 }),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 62n }),
);

/** Objects like those of a decoder: every key is an own property. */
const objectOf = (value: fc.Arbitrary<unknown>): fc.Arbitrary<JsonObject> =>
  fc.array(fc.tuple(key, value), { maxLength: 4 }).map((members) => {
    const out: JsonObject = {};
    for (const [name, item] of members) setOwn(out, name, item);
    return out;
  });

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    objectOf(tie("value")),
    fc.array(tie("value"), { maxLength: 3 }),
  ),
}));
const document = objectOf(value).map(freezeJson);
const withNulls = objectOf(fc.oneof(value, fc.constant(null), objectOf(fc.constant(null)))).map(freezeJson);

const patchJson = (given: JsonObject, operations: unknown): JsonObject =>
  applyJsonPatch(given, readJsonPatch(freezeJson(operations)).operations);
const pointer = (...steps: string[]): string =>
  steps.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

describe("JSON patch", () => {
  test("every member passes a test for what it is", () => {
    fc.assert(
      fc.property(document, (given) => {
        const tests = Object.entries(given).map(([name, item]) => ({
          op: "test",
          path: pointer(name),
          value: item,
        }));
        expect(equalJson(patchJson(given, tests), given)).toBe(true);
      }),
    );
  });

  test("what is added can be removed again", () => {
    fc.assert(
      fc.property(document, key, value, (given, name, item) => {
        fc.pre(!Object.hasOwn(given, name));
        const added = patchJson(given, [{ op: "add", path: pointer(name), value: item }]);
        expect(equalJson(added[name], item)).toBe(true);
        expect(equalJson(patchJson(added, [{ op: "remove", path: pointer(name) }]), given)).toBe(true);
      }),
    );
  });

  test("what is moved can be moved back", () => {
    fc.assert(
      fc.property(document, key, (given, to) => {
        const [from] = Object.keys(given);
        fc.pre(from !== undefined && !Object.hasOwn(given, to));
        const there = { op: "move", from: pointer(from), path: pointer(to) };
        const back = { op: "move", from: pointer(to), path: pointer(from) };
        expect(equalJson(patchJson(given, [there, back]), given)).toBe(true);
      }),
    );
  });

  test("any operations succeed or are refused, and what was given stays as it is", () => {
    const path = fc
      .array(fc.oneof(key, fc.constantFrom("0", "-", "-1", "9")), { maxLength: 3 })
      .map((steps) => pointer(...steps));
    const operation = fc.record({
      op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test"),
      path,
      from: path,
      value: fc.oneof(value, fc.constant(null)),
    });
    fc.assert(
      fc.property(document, fc.array(operation, { maxLength: 5 }), (given, operations) => {
        try {
          patchJson(given, operations);
        } catch (error) {
          if (!(error instanceof StatusError)) throw error;
          expect(error.code).toBe(422);
        }
      }),
      { numRuns: 500 },
    );
  });
});

/** The algorithm of RFC 7386, section 2, for documents without lists that hold objects. */
function mergeByTheBook(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const out: JsonObject = {};
  if (isObject(target)) for (const name of Object.keys(target)) setOwn(out, name, target[name]);
  for (const name of Object.keys(patch)) {
    if (patch[name] === null) delete out[name];
    else setOwn(out, name, mergeByTheBook(Object.hasOwn(out, name) ? out[name] : undefined, patch[name]));
  }
  return out;
}

/** A merge patch that transforms one document into another. */
function difference(from: JsonObject, to: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const name of Object.keys(from)) if (!Object.hasOwn(to, name)) setOwn(patch, name, null);
  for (const name of Object.keys(to)) {
    const old = Object.hasOwn(from, name) ? from[name] : undefined;
    const wanted = to[name];
    if (equalJson(old, wanted)) continue;
    setOwn(patch, name, isObject(old) && isObject(wanted) ? difference(old, wanted) : wanted);
  }
  return patch;
}

describe("merge patch", () => {
  test("is what the RFC says", () => {
    fc.assert(
      fc.property(withNulls, withNulls, (given, patch) => {
        expect(equalJson(applyMergePatch(given, patch), mergeByTheBook(given, patch))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("a second time changes nothing", () => {
    fc.assert(
      fc.property(document, withNulls, (given, patch) => {
        const once = applyMergePatch(given, patch);
        expect(equalJson(applyMergePatch(once, patch), once)).toBe(true);
      }),
    );
  });

  test("turns any document into any other", () => {
    fc.assert(
      fc.property(document, document, (from, to) => {
        expect(equalJson(applyMergePatch(from, difference(from, to)), to)).toBe(true);
      }),
    );
  });
});

describe("strategic merge patch", () => {
  const configMap = coreNode("ConfigMap");
  const service = coreNode("Service");
  const texts = objectOf(fc.string({ maxLength: 3 }));
  const changes = objectOf(fc.option(fc.string({ maxLength: 3 })));
  const port = fc.record(
    { port: fc.integer({ min: 1, max: 8 }), name: fc.constantFrom("a", "b") },
    { requiredKeys: ["port"] },
  );
  const ports = fc.uniqueArray(port, { selector: (item) => item.port, minLength: 1, maxLength: 6 });

  test("of maps is a merge patch", () => {
    fc.assert(
      fc.property(texts, changes, (data, given) => {
        const patch = freezeJson({ data: given });
        const merged = mergeStrategically(freezeJson({ data }), patch, configMap).object;
        expect(merged).toEqual(applyMergePatch({ data }, patch));
      }),
    );
  });

  test("of lists: a second time changes nothing, every item is there once, those given stand in their order", () => {
    fc.assert(
      fc.property(ports, ports, (live, given) => {
        const patch = freezeJson({ spec: { ports: given } });
        const once = mergeStrategically(freezeJson({ spec: { ports: live } }), patch, service).object;
        expect(mergeStrategically(once, patch, service).object).toEqual(once);
        // in the order of the result
        const merged = (once["spec"] as { ports: { port: number }[] }).ports.map((item) => item.port);
        expect(merged.toSorted()).toEqual(
          [...new Set([...live, ...given].map((item) => item.port))].toSorted(),
        );
        expect(merged.filter((number) => given.some((item) => item.port === number))).toEqual(
          given.map((item) => item.port),
        );
      }),
    );
  });

  test("$setElementOrder of all items sorts them", () => {
    const shuffled = ports.chain((live) =>
      fc.tuple(
        fc.constant(live),
        fc.shuffledSubarray(live, { minLength: live.length, maxLength: live.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([live, sorted]) => {
        const patch = { spec: { "$setElementOrder/ports": sorted.map((item) => ({ port: item.port })) } };
        const merged = mergeStrategically(
          freezeJson({ spec: { ports: live } }),
          freezeJson(patch),
          service,
        ).object;
        expect(merged).toEqual({ spec: { ports: sorted } });
      }),
    );
  });
});
