import { describe, expect, test } from "vitest";
import {
  contains,
  difference,
  type FieldSet,
  intersection,
  LEAF,
  LeafFields,
  recursiveDifference,
  union,
} from "../../../../../src/apimachinery/patch/apply/fields/field-set.ts";
import {
  encodeFieldSet,
  fieldSetText,
  pathsOf,
} from "../../../../../src/apimachinery/patch/apply/fields/fields-v1.ts";
import { allFields } from "../../../../../src/apimachinery/patch/apply/typed/owned-fields.ts";
import { typeOfKind } from "../../../../../src/apimachinery/patch/apply/typed/type-node.ts";
import { customNode } from "../support.ts";

const STEPS = ["f:b", "f:a", 'f:"', "f:ä"];
const asMap = (...steps: string[]): FieldSet => ({
  member: true,
  children: new Map(steps.map((step) => [step, LEAF])),
});
const asList = (...steps: string[]): FieldSet => ({ member: true, children: new LeafFields(steps) });

describe("fields without anything below them, as a list,", () => {
  test("are written and told as those of a map", () => {
    expect(encodeFieldSet(asList(...STEPS))).toEqual(encodeFieldSet(asMap(...STEPS)));
    expect(fieldSetText(asList(...STEPS))).toBe(fieldSetText(asMap(...STEPS)));
    expect(pathsOf(asList(...STEPS))).toEqual(pathsOf(asMap(...STEPS)));
    const found: string[] = [];
    asList(...STEPS).children?.forEach((field, step) => {
      found.push(`${step} ${field === LEAF}`);
    });
    expect(found).toEqual(STEPS.map((step) => `${step} true`));
    expect([...(asList(...STEPS).children?.values() ?? [])]).toEqual(STEPS.map(() => LEAF));
  });

  test.each([
    ["union", union],
    ["intersection", intersection],
    ["difference", difference],
    ["recursive difference", recursiveDifference],
  ])("%s is that of a map", (_name, combine) => {
    const [one, two] = [STEPS.slice(0, 3), [...STEPS.slice(1), "f:c"]];
    const expected = encodeFieldSet(combine(asMap(...one), asMap(...two)));
    for (const a of [asMap(...one), asList(...one)]) {
      for (const b of [asMap(...two), asList(...two)]) {
        expect(encodeFieldSet(combine(a, b))).toEqual(expected);
      }
    }
  });

  test("are in each other as those of a map", () => {
    expect(contains(asList(...STEPS), asMap("f:a"))).toBe(true);
    expect(contains(asMap("f:a"), asList(...STEPS))).toBe(false);
    expect(contains(asList(...STEPS), asList("f:x"))).toBe(false);
  });
});

describe("a map of many members", () => {
  const type = typeOfKind(customNode({ map: { type: "object", additionalProperties: {} } }));
  const members = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
  const fieldsOf = (map: object) =>
    allFields(type, { spec: { map } }).children?.get("f:spec")?.children?.get("f:map");

  test("is a list of leaves where all of them are", () => {
    expect(fieldsOf(members(5000))?.children).toBeInstanceOf(LeafFields);
    expect(fieldsOf(members(5000))?.children?.size).toBe(5000);
    expect(fieldsOf({ ...members(5000), gone: undefined })?.children?.has("f:gone")).toBe(false);
  });

  test("is none where one has members of its own", () => {
    const fields = fieldsOf({ ...members(5000), last: { a: 1 } });
    expect(fields?.children).not.toBeInstanceOf(LeafFields);
    expect(fields?.children?.get("f:last")?.children?.has("f:a")).toBe(true);
    expect(fields?.children?.get("f:k1")).toBe(LEAF);
  });
});
