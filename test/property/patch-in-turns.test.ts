// A large patch yields to the event loop several times; the result is the same.
import fc from "fast-check";
import { expect, test } from "vitest";
import { freezeJson, type JsonObject, setOwn } from "../../src/apimachinery/json/json.ts";
import { encodeJson } from "../../src/apimachinery/json/json-encode.ts";
import {
  applyJsonPatch,
  applyJsonPatchInTurns,
  readJsonPatch,
} from "../../src/apimachinery/patch/json-patch.ts";
import { applyMergePatch, applyMergePatchInTurns } from "../../src/apimachinery/patch/merge-patch.ts";
import { mergeList } from "../../src/apimachinery/patch/strategic/merge.ts";
import { listRule } from "../../src/apimachinery/patch/strategic/merge-rules.ts";
import {
  mergeStrategically,
  mergeStrategicallyInTurns,
} from "../../src/apimachinery/patch/strategic-merge-patch.ts";
import { countTurns } from "../support/count-turns.ts";
import { coreNode } from "../unit/apimachinery/patch/support.ts";

const key = fc.oneof(fc.constantFrom("a", "b", "c", "__proto__", "constructor"), fc.string({ maxLength: 3 }));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.string({ unit: "binary", maxLength: 4 })),
    fc.bigInt({ min: 2n ** 53n, max: 2n ** 62n }),
    fc.array(tie("value"), { maxLength: 3 }),
    objectOf(tie("value")),
  ),
}));
function objectOf(member: fc.Arbitrary<unknown>): fc.Arbitrary<JsonObject> {
  return fc.array(fc.tuple(key, member), { maxLength: 4 }).map((members) => {
    const out: JsonObject = {};
    for (const [name, item] of members) setOwn(out, name, item);
    return freezeJson(out);
  });
}

test("a merge patch", async () => {
  await fc.assert(
    fc.asyncProperty(objectOf(value), objectOf(value), async (document, patch) => {
      const made = await applyMergePatchInTurns(document, patch);
      expect(encodeJson(made)).toBe(encodeJson(applyMergePatch(document, patch)));
    }),
  );
});

test("a strategic merge patch of long lists in which items move, change, come and go", async () => {
  const all = Array.from({ length: 1200 }, (_, index) => `V${index}`);
  const names = fc.shuffledSubarray(all, { minLength: 500 });
  const podWith = (env: readonly object[], more: JsonObject = {}) =>
    freezeJson({ spec: { containers: [{ name: "c", env, ...more }] } });
  await fc.assert(
    fc.asyncProperty(names, names, fc.nat(5), async (before, after, gone) => {
      const document = podWith(before.map((name) => ({ name, value: "old" })));
      const given = after.map((name, index) =>
        index % 7 === gone ? { name, $patch: "delete" } : { name, value: "new" },
      );
      const order = given.filter(({ $patch }) => $patch === undefined).map(({ name }) => ({ name }));
      const patch = podWith(given, { "$setElementOrder/env": order });
      const made = await mergeStrategicallyInTurns(document, patch, coreNode("Pod"));
      const once = mergeStrategically(document, patch, coreNode("Pod"));
      expect(encodeJson(made.object)).toBe(encodeJson(once.object));
      expect(made.shownPatch()).toBe(once.shownPatch());
      expect(
        envOf(made.object)
          .filter(({ value }) => value === "new")
          .map(({ name }) => ({ name })),
      ).toEqual(order);
    }),
    { numRuns: 20 },
  );
});

interface Variable {
  readonly name: string;
  readonly value?: string;
}
const envOf = (pod: JsonObject): Variable[] =>
  (pod as { spec: { containers: { env: Variable[] }[] } }).spec.containers.flatMap(({ env }) => env); // as patched

test("the parts of a long list are many", () => {
  const items = Array.from({ length: 10_000 }, (_, index) => ({ name: `V${index}` }));
  const rule = listRule(coreNode("PodSpec"), "containers");
  const merge = (list: object[]) => {
    const work = mergeList({ old: list, given: list, rule });
    let parts = 1;
    let part = work.next();
    for (; !part.done; part = work.next()) parts++;
    expect(part.value).toEqual(list);
    return parts;
  };
  expect(merge(items)).toBe(merge(items.slice(0, 1)) + 4);
});

test("a JSON patch, between whose operations others have their turn", async () => {
  const items = Array.from({ length: 1000 }, (_, index) => index);
  const moves = Array.from({ length: 5000 }, () => ({ op: "move", from: "/items/0", path: "/items/-" }));
  const { operations } = readJsonPatch(moves);
  const document = freezeJson({ items });
  const { turns, done } = await countTurns(() => applyJsonPatchInTurns(document, operations));
  expect(done).toEqual(applyJsonPatch(document, operations));
  expect(turns).toBeGreaterThan(100);
});
