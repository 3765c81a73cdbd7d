// Egret's merge patch compared with the library alone, on plain JSON without the keys and the nulls that the library
// handles wrongly.
import fc from "fast-check";
import { apply } from "json-merge-patch";
import { expect, test } from "vitest";
import { isObject, type JsonObject } from "../../../src/apimachinery/json/json.ts";
import { applyMergePatch } from "../../../src/apimachinery/patch/merge-patch.ts";
import { runs } from "../../support/fuzz-runs.ts";

const key = fc.constantFrom("a", "b", "c", "metadata", "spec", "~", "~~a", "0");
const scalar = fc.oneof(fc.integer(), fc.boolean(), fc.string({ maxLength: 3 }));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
    fc.array(tie("value"), { maxLength: 3 }),
  ),
}));
const object = fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true });
const patch = fc.letrec<{ patch: JsonObject; member: unknown }>((tie) => ({
  patch: fc.dictionary(key, tie("member"), { maxKeys: 4, noNullPrototype: true }),
  member: fc.oneof({ maxDepth: 4, withCrossShrink: true }, value, fc.constant(null), tie("patch")),
})).patch;

test("is what the library makes of copies", () => {
  fc.assert(
    fc.property(object, patch, (given, changes) => {
      const before = structuredClone({ given, changes });
      const merged = applyMergePatch(given, changes);
      expect(merged).toEqual(apply(structuredClone(given), structuredClone(changes)));
      expect({ given, changes }).toEqual(before);
      expect(sharesWith(merged, given) || sharesWith(merged, changes)).toBe(false);
    }),
    runs(2000),
  );
});

/** Reports whether any object of one value is the same reference in the other. */
function sharesWith(one: unknown, other: unknown): boolean {
  const all = new Set(objectsOf(other));
  return objectsOf(one).some((each) => all.has(each));
}

function objectsOf(given: unknown): unknown[] {
  if (Array.isArray(given)) return [given, ...given.flatMap(objectsOf)];
  return isObject(given) ? [given, ...Object.values(given).flatMap(objectsOf)] : [];
}
