import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { equalJson, type JsonObject } from "../../src/apimachinery/json/json.ts";
import { encodeJson } from "../../src/apimachinery/json/json-encode.ts";
import { lateBytes, lateText } from "../../src/apimachinery/json/json-in-turns.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../src/apimachinery/meta/object-meta.ts";
import { StatusError } from "../../src/apimachinery/meta/status.ts";
import {
  comparePathElements,
  type PathElement,
  parsePathElement,
  pathElementText,
} from "../../src/apimachinery/patch/apply/fields/field-path.ts";
import {
  contains,
  difference,
  EMPTY,
  equalSets,
  type FieldSet,
  intersection,
  isEmpty,
  recursiveDifference,
  setOfPaths,
  union,
} from "../../src/apimachinery/patch/apply/fields/field-set.ts";
import {
  decodeFieldSet,
  encodeFieldSet,
  encodeLate,
  fieldSetText,
  pathsOf,
} from "../../src/apimachinery/patch/apply/fields/fields-v1.ts";
import { compareValues } from "../../src/apimachinery/patch/apply/typed/compare.ts";
import { typeOfKind } from "../../src/apimachinery/patch/apply/typed/type-node.ts";
import {
  apply,
  forceApply,
  kindOf,
  type Operation,
  State,
  update,
} from "../unit/apimachinery/patch/apply/state.ts";
import { customNode } from "../unit/apimachinery/patch/support.ts";

const keyValue = fc.oneof(fc.integer({ min: -9, max: 99 }), fc.constantFrom("a", 'b"', "<"), fc.boolean());
const element: fc.Arbitrary<PathElement> = fc.oneof(
  fc.record({ type: fc.constant("field" as const), name: fc.constantFrom("a", "b", "x.y", "", "__proto__") }),
  fc.record({
    type: fc.constant("key" as const),
    keys: fc.tuple(keyValue, keyValue).map(([k, l]) => [
      { name: "k", value: k },
      { name: "l", value: l },
    ]),
  }),
  fc.record({ type: fc.constant("value" as const), value: keyValue }),
  fc.record({ type: fc.constant("index" as const), index: fc.nat({ max: 20 }) }),
);
const set: fc.Arbitrary<FieldSet> = fc
  .array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 12 })
  .map(setOfPaths);
const same = (a: FieldSet, b: FieldSet): void => expect(encodeFieldSet(a)).toEqual(encodeFieldSet(b));

describe("steps", () => {
  test("are read as they are written", () => {
    fc.assert(
      fc.property(element, (step) => {
        expect(parsePathElement(pathElementText(step))).toEqual(step);
      }),
    );
  });
});

describe("sets of fields", () => {
  test("items of a list map are written in the order of their keys", () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab!"#- ~\\<é'), maxLength: 4 });
    const keys = fc.array(text.map((value) => [{ name: "k", value }]));
    fc.assert(
      fc.property(keys, (items) => {
        const steps = items.map((item): PathElement => ({ type: "key", keys: item }));
        const written = Object.keys(encodeFieldSet(setOfPaths(steps.map((step) => [step]))));
        const sorted = steps.toSorted(comparePathElements).map(pathElementText);
        expect(written).toEqual([...new Set(sorted)]);
      }),
    );
  });

  test("union and intersection: order, grouping and repetition do not count", () => {
    fc.assert(
      fc.property(set, set, set, (a, b, c) => {
        same(union(a, b), union(b, a));
        same(intersection(a, b), intersection(b, a));
        same(union(a, union(b, c)), union(union(a, b), c));
        same(intersection(a, intersection(b, c)), intersection(intersection(a, b), c));
        same(intersection(a, union(b, c)), union(intersection(a, b), intersection(a, c)));
        same(union(a, a), a);
        same(intersection(a, a), a);
      }),
    );
  });

  test("difference: what is taken and what is left make up the whole", () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        same(union(difference(a, b), intersection(a, b)), a);
        expect(isEmpty(intersection(difference(a, b), b))).toBe(true);
        expect(contains(difference(a, b), recursiveDifference(a, b))).toBe(true);
        expect(isEmpty(difference(a, a))).toBe(true);
        same(recursiveDifference(a, EMPTY), a);
      }),
    );
  });

  test("recursive difference leaves nothing that is below what was taken", () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const left = recursiveDifference(a, b);
        for (const path of pathsOf(left)) {
          for (let length = 1; length <= path.length; length++) {
            expect(isEmpty(intersection(b, setOfPaths([path.slice(0, length)])))).toBe(true);
          }
        }
      }),
    );
  });

  test("containing is what union and difference say", () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        expect(contains(a, b)).toBe(isEmpty(difference(b, a)));
        expect(contains(a, b)).toBe(equalSets(union(a, b), a));
      }),
    );
  });

  test("a set is the set of its paths", () => {
    fc.assert(
      fc.property(set, (a) => {
        same(setOfPaths(pathsOf(a)), a);
      }),
    );
  });

  test("the text of FieldsV1 is that of what is written", () => {
    fc.assert(
      fc.property(set, (a) => {
        const text = encodeJson(encodeFieldSet(a));
        expect(fieldSetText(a)).toBe(text);
        expect(lateText(encodeLate(a))).toBe(text);
        expect(lateBytes(encodeLate(a))).toBe(Buffer.byteLength(text));
        expect(encodeJson(encodeLate(a))).toBe(text);
      }),
    );
  });

  test("FieldsV1 is read as it is written, in one form only", () => {
    fc.assert(
      fc.property(set, (a) => {
        const fields = encodeFieldSet(a);
        const text = JSON.stringify(fields);
        expect(JSON.stringify(encodeFieldSet(decodeFieldSet(JSON.parse(text))))).toBe(text);
        same(decodeFieldSet(fields), a);
      }),
    );
  });
});

const text = { type: "string" };
const struct = { type: "object", properties: { a: text, b: text } };
const kind = kindOf({
  v1: {
    a: text,
    b: text,
    struct,
    atomic: { ...struct, "x-kubernetes-map-type": "atomic" },
    map: { type: "object", additionalProperties: struct },
    set: { type: "array", "x-kubernetes-list-type": "set", items: text },
    plain: { type: "array", items: text },
    named: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: { type: "object", properties: { name: text, ...struct.properties } },
    },
    any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
});

const word = fc.constantFrom("x", "y", "z");
const some = <T extends Record<string, fc.Arbitrary<unknown>>>(members: T) =>
  fc.record(members, { requiredKeys: [] });
const structs = some({ a: word, b: word });
/** Without empty lists by keys or values: no field manager owns them, so they leave no trace. */
const spec = some({
  a: word,
  b: word,
  struct: structs,
  atomic: structs,
  map: fc.dictionary(word, structs, { maxKeys: 2 }),
  set: fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
  plain: fc.array(word, { maxLength: 2 }),
  named: fc.uniqueArray(fc.record({ name: word, a: word, b: word }, { requiredKeys: ["name"] }), {
    minLength: 1,
    maxLength: 3,
    selector: ({ name }) => name,
  }),
  any: fc.dictionary(word, fc.oneof(word, structs), { maxKeys: 2 }),
});
const object: fc.Arbitrary<JsonObject> = fc.record({
  spec,
  metadata: some({ labels: fc.dictionary(word, word, { maxKeys: 2 }) }),
});
const manager = fc.constantFrom("ann", "bob", "eve");
const operation: fc.Arbitrary<Operation> = fc
  .tuple(fc.constantFrom(apply, forceApply, update), manager, object)
  .map(([make, name, given]) => make(name, given));
const history = fc.array(operation, { maxLength: 6 });

/** The state after a history; rejected writes change nothing. */
function stateAfter(operations: readonly Operation[]): State {
  const state = new State(kind);
  for (const each of operations) attempt(state, each);
  return state;
}

/** False for a conflict, or where removing the last part of a value leaves null: validation rejects those. */
function attempt(state: State, each: Operation): boolean {
  const { live } = state;
  try {
    state.run(each);
    if (!JSON.stringify(state.live).includes(":null")) return true;
    state.live = live;
    return false;
  } catch (error) {
    if (error instanceof StatusError && error.code === 409) return false;
    throw error;
  }
}

const [node = customNode({})] = kind.nodes.values();
const type = typeOfKind(node);

const ownedBy = (live: KubeObject | undefined, which: (entry: ManagedFieldsEntry) => boolean): FieldSet =>
  (live?.metadata.managedFields ?? [])
    .filter(which)
    .reduce((owned, { fieldsV1 }) => union(owned, decodeFieldSet(fieldsV1)), EMPTY);

/** Reports whether the object contains every value of the configuration. */
function holds(live: unknown, applied: unknown): boolean {
  if (Array.isArray(applied)) {
    return applied.every((item) => Array.isArray(live) && live.some((other) => holds(other, item)));
  }
  if (typeof applied !== "object" || applied === null) return equalJson(live, applied);
  return Object.entries(applied).every(
    ([name, item]) =>
      typeof live === "object" &&
      live !== null &&
      Object.hasOwn(live, name) &&
      holds((live as JsonObject)[name], item), // just checked
  );
}

describe("apply", () => {
  test("a second time changes nothing", () => {
    fc.assert(
      fc.property(history, manager, object, (operations, name, applied) => {
        const state = stateAfter(operations);
        fc.pre(attempt(state, forceApply(name, applied)));
        const once = state.live;
        state.run(apply(name, applied));
        expect(state.live).toEqual(once);
      }),
      { numRuns: 300 },
    );
  });

  test("without force nobody else's field changes, unless it goes with an item that was one's own", () => {
    fc.assert(
      fc.property(history, manager, object, (operations, name, applied) => {
        const state = stateAfter(operations);
        const live = state.live;
        fc.pre(live !== undefined);
        const isOwn = (entry: ManagedFieldsEntry) => entry.manager === name && entry.operation === "Apply";
        const own = ownedBy(live, isOwn);
        const others = ownedBy(live, (entry) => !isOwn(entry));
        if (!attempt(state, apply(name, applied))) return;
        const { modified, removed } = compareValues(type, live, state.live);
        expect(encodeFieldSet(intersection(others, modified))).toEqual({});
        expect(encodeFieldSet(recursiveDifference(intersection(others, removed), own))).toEqual({});
      }),
      { numRuns: 300 },
    );
  });

  test("what is applied is there, and owned by who applied it", () => {
    fc.assert(
      fc.property(history, manager, object, (operations, name, applied) => {
        const state = stateAfter(operations);
        fc.pre(attempt(state, forceApply(name, applied)));
        expect(holds(state.live, applied)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("an update leaves what was sent, and everything in it that changed is its manager's", () => {
    fc.assert(
      fc.property(history, manager, object, (operations, name, sent) => {
        const state = stateAfter(operations);
        const live = state.live;
        fc.pre(live?.metadata.managedFields !== undefined);
        state.run(update(name, sent));
        const { metadata, ...rest } = state.outcome().object;
        expect(rest).toEqual({ spec: sent["spec"] });
        const { added, modified } = compareValues(type, live, state.live);
        const entry = state.live?.metadata.managedFields?.find(
          (each) => each.manager === name && each.operation === "Update",
        );
        const metadataItself = setOfPaths([[{ type: "field", name: "metadata" }]]);
        const written = difference(union(added, modified), metadataItself);
        expect(contains(decodeFieldSet(entry?.fieldsV1 ?? {}), written)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("of those who update, one at most owns a field", () => {
    fc.assert(
      fc.property(history, (operations) => {
        const owners = new Map<string, string>();
        const { managedFields = [] } = stateAfter(operations).live?.metadata ?? {};
        for (const { manager: name = "", operation: how, fieldsV1 } of managedFields) {
          if (how !== "Update") continue;
          for (const path of pathsOf(decodeFieldSet(fieldsV1))) {
            const place = path.map(pathElementText).join(" ");
            expect(owners.get(place) ?? name).toBe(name);
            owners.set(place, name);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
