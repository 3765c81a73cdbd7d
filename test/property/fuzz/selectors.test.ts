// Selectors compared with a slow reference, which knows the meaning of a text from its construction, not from parsing.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseFieldSelector } from "../../../src/apimachinery/meta/field-selector.ts";
import {
  labelSelectorFromObject,
  parseLabelSelector,
} from "../../../src/apimachinery/meta/label-selector.ts";
import { StatusError } from "../../../src/apimachinery/meta/status.ts";
import { runs } from "../../support/fuzz-runs.ts";
import { hostileText } from "./hostile-values.ts";

type Labels = Record<string, string>;

/** One requirement as text, as an object where such a form exists, and its meaning. */
interface Wanted {
  readonly text: string;
  readonly expression: object | undefined;
  says(labels: Labels): boolean;
}

const KEYS = ["a", "b", "in", "notin", "example.com/a", "A-b_c.d"];
const VALUES = ["", "1", "2", "30", "x", "in", "notin", "a.b-c_D"];
const key = fc.constantFrom(...KEYS);
const value = fc.constantFrom(...VALUES);
const space = fc.constantFrom("", " ", "  ", "\t");
const labels: fc.Arbitrary<Labels> = fc.dictionary(key, value, { maxKeys: 5 });

const has = (all: Labels, name: string): boolean => Object.keys(all).includes(name);

const equals = fc.tuple(key, fc.constantFrom("=", "==", "!="), value, space).map(
  ([name, sign, text, gap]): Wanted => ({
    text: `${name}${gap}${sign}${gap}${text}`,
    expression: { key: name, operator: sign === "!=" ? "NotIn" : "In", values: [text] },
    says: (all) => (has(all, name) && all[name] === text) !== (sign === "!="),
  }),
);
const sets = fc.tuple(key, fc.boolean(), fc.uniqueArray(value, { minLength: 1, maxLength: 3 }), space).map(
  ([name, inside, values, gap]): Wanted => ({
    text: `${name} ${inside ? "in" : "notin"}${gap}(${gap}${values.join(`${gap},${gap}`)}${gap})`,
    expression: { key: name, operator: inside ? "In" : "NotIn", values },
    says: (all) => (has(all, name) && values.some((each) => each === all[name])) === inside,
  }),
);
const presence = fc.tuple(key, fc.boolean(), space).map(
  ([name, present, gap]): Wanted => ({
    text: present ? name : `!${gap}${name}`,
    expression: { key: name, operator: present ? "Exists" : "DoesNotExist" },
    says: (all) => has(all, name) === present,
  }),
);
const order = fc
  .tuple(
    key,
    fc.boolean(),
    fc.integer({ min: -5, max: 40 }).filter((bound) => bound >= 0),
    space,
  )
  .map(
    ([name, above, bound, gap]): Wanted => ({
      text: `${name}${gap}${above ? ">" : "<"}${gap}${bound}`,
      expression: undefined,
      says: (all) => {
        const number = /^\d+$/.test(all[name] ?? "") ? Number(all[name]) : Number.NaN;
        return above ? number > bound : number < bound;
      },
    }),
  );
const wanted = fc.array(fc.oneof(equals, sets, presence, order), { maxLength: 4 });

describe("label selectors", () => {
  test("as text", () => {
    fc.assert(
      fc.property(wanted, labels, space, (all, of, gap) => {
        const text = all.map((each) => each.text).join(`${gap},${gap}`);
        expect(parseLabelSelector(text).matches(of), text).toBe(all.every((each) => each.says(of)));
      }),
      runs(2000),
    );
  });

  test("with so many requirements that they are packed", () => {
    const fillers = Array.from({ length: 40 }, (_, index) => `${index % 2 ? "!" : ""}f${index}`);
    const present = Object.fromEntries(fillers.filter((each) => each[0] !== "!").map((each) => [each, "x"]));
    fc.assert(
      fc.property(wanted, labels, fc.boolean(), (all, of, hasFillers) => {
        const text = [...fillers.slice(0, 20), ...all.map((each) => each.text), ...fillers.slice(20)].join(
          ",",
        );
        const expected = hasFillers && all.every((each) => each.says(of));
        expect(parseLabelSelector(text).matches(hasFillers ? { ...of, ...present } : of), text).toBe(
          expected,
        );
      }),
      runs(1000),
    );
  });

  test("as objects", () => {
    fc.assert(
      fc.property(wanted, labels, labels, (all, matchLabels, of) => {
        const known = all.filter(({ expression }) => expression !== undefined);
        const matchExpressions = known.map(({ expression }) => expression);
        const expected =
          known.every((each) => each.says(of)) &&
          Object.entries(matchLabels).every(([name, text]) => has(of, name) && of[name] === text);
        expect(labelSelectorFromObject({ matchLabels, matchExpressions }).matches(of)).toBe(expected);
      }),
      runs(1000),
    );
  });
});

describe("field selectors", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\\", ",", "=", "!", " "), maxLength: 5 });
  const escaped = (given: string): string => given.replace(/[\\,=]/g, "\\$&");
  const field = fc.constantFrom("metadata.name", "metadata.namespace", "status.phase");

  test("are read as they are written", () => {
    const terms = fc.uniqueArray(fc.tuple(field, fc.constantFrom("=", "==", "!="), text), {
      maxLength: 3,
      selector: ([name]) => name,
    });
    fc.assert(
      fc.property(terms, (all) => {
        const selector = all.map(([name, sign, given]) => `${name}${sign}${escaped(given)}`).join(",");
        const read = parseFieldSelector(selector).map((each) => [each.field, each.operator, each.value]);
        const expected = all.map(([name, sign, given]) => [name, sign === "!=" ? "!=" : "=", given]);
        expect(read.sort()).toEqual(expected.sort());
      }),
      runs(1000),
    );
  });
});

test("any text is a selector or a client's mistake", () => {
  const pieces = fc.array(
    fc.oneof(hostileText, fc.constantFrom("=", "!", ",", "(", ")", " in ", "notin", "a", "\\")),
    {
      maxLength: 8,
    },
  );
  fc.assert(
    fc.property(pieces, (parts) => {
      for (const parse of [parseLabelSelector, parseFieldSelector]) {
        try {
          parse(parts.join(""));
        } catch (error) {
          expect(error).toBeInstanceOf(StatusError);
          expect(error).toMatchObject({ code: 400 });
        }
      }
    }),
    runs(3000),
  );
});
