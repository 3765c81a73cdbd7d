import { expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { FieldError } from "../../../../src/apimachinery/meta/field-error.ts";
import { compileSchema } from "../../../../src/apimachinery/schema/compile-schema.ts";
import { validateRules } from "../../../../src/apimachinery/schema/rules/validate-rules.ts";
import { cpuMs } from "../../../support/cpu-time.ts";
import { findingsOf } from "./support.ts";

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
const rules = (...list: (string | JsonObject)[]): JsonObject => ({
  "x-kubernetes-validations": list.map((rule) => (typeof rule === "string" ? { rule } : rule)),
});
const spec = (properties: JsonObject, ...list: (string | JsonObject)[]): JsonObject =>
  object({ spec: object(properties, list.length > 0 ? rules(...list) : {}) });

const INT = { type: "integer" };
const TEXT = { type: "string" };

test.each<[string, JsonObject, unknown, string[]]>([
  ["a rule that holds", spec({ a: INT }, "self.a > 0"), { spec: { a: 1 } }, []],
  [
    "a rule without a message is named",
    spec({ a: INT }, "self.a > 0"),
    { spec: { a: 0 } },
    ["spec: Invalid value: failed rule: self.a > 0"],
  ],
  [
    "a rule with a message",
    spec({ a: INT }, { rule: "self.a > 0", message: " too small " }),
    { spec: { a: 0 } },
    ["spec: Invalid value: too small"],
  ],
  [
    "a number is shown",
    spec({ a: { ...INT, ...rules("self > 0") } }),
    { spec: { a: -1 } },
    ["spec.a: Invalid value: -1: failed rule: self > 0"],
  ],
  [
    "a text is shown",
    spec({ a: { ...TEXT, ...rules("self != 'x'") } }),
    { spec: { a: "x" } },
    [`spec.a: Invalid value: "x": failed rule: self != 'x'`],
  ],
  [
    "a list is not shown",
    spec({ a: { type: "array", items: INT, ...rules("size(self) > 1") } }),
    { spec: { a: [1] } },
    ["spec.a: Invalid value: failed rule: size(self) > 1"],
  ],
  [
    "a rule at the top has no field",
    object({ spec: object({}) }, rules("has(self.spec)")),
    {},
    ["<nil>: Invalid value: failed rule: has(self.spec)"],
  ],
  ["an absent field has no rules", spec({ a: { ...INT, ...rules("self > 0") } }), { spec: {} }, []],
  [
    "a null field has none either",
    spec({ a: { ...INT, nullable: true, ...rules("self > 0") } }),
    { spec: { a: null } },
    [],
  ],
  [
    "a null field is absent to others",
    spec({ a: { ...INT, nullable: true } }, "!has(self.a)"),
    { spec: { a: null } },
    [],
  ],
  [
    "the other findings follow in the order of the schema",
    spec({ a: { ...INT, ...rules("self > 0") }, b: { ...INT, ...rules("self > 0") } }, "self.a < self.b"),
    { spec: { a: 0, b: 0 } },
    [
      "spec: Invalid value: failed rule: self.a < self.b",
      "spec.a: Invalid value: 0: failed rule: self > 0",
      "spec.b: Invalid value: 0: failed rule: self > 0",
    ],
  ],
  [
    "items have an index",
    spec({ l: { type: "array", items: { ...INT, ...rules("self > 0") } } }),
    { spec: { l: [1, 0] } },
    ["spec.l[1]: Invalid value: 0: failed rule: self > 0"],
  ],
  [
    "entries have a key",
    spec({ m: { type: "object", additionalProperties: { ...TEXT, ...rules("size(self) > 1") } } }),
    { spec: { m: { "a.b": "x" } } },
    ['spec.m[a.b]: Invalid value: "x": failed rule: size(self) > 1'],
  ],
  [
    "rules inside allOf count",
    spec({ a: { ...INT, allOf: [rules("self > 0")] } }),
    { spec: { a: 0 } },
    ["spec.a: Invalid value: 0: failed rule: self > 0"],
  ],
])("%s", (_rule, schema, value, expected) => {
  expect(findingsOf(schema, value)).toEqual(expected);
});

test.each<[string, JsonObject, string]>([
  ["Forbidden", { reason: "FieldValueForbidden" }, "spec.a: Forbidden: m"],
  ["Required", { reason: "FieldValueRequired" }, "spec.a: Required value: m"],
  ["Duplicate shows the value only", { reason: "FieldValueDuplicate" }, "spec.a: Duplicate value: 0"],
  ["Invalid", { reason: "FieldValueInvalid" }, "spec.a: Invalid value: 0: m"],
])("the reason of a rule: %s", (_what, reason, expected) => {
  const schema = spec({ a: { ...INT, ...rules({ rule: "self > 0", message: "m", ...reason }) } });
  expect(findingsOf(schema, { spec: { a: 0 } })).toEqual([expected]);
});

test.each<[string, JsonObject, string]>([
  ["a property", { fieldPath: ".a" }, "spec.a: Invalid value: m"],
  ["a key of a map", { fieldPath: ".m['x.y']" }, "spec.m[x.y]: Invalid value: m"],
  ["a property with a dot", { fieldPath: "['b.c']" }, "spec.b.c: Invalid value: m"],
])("the field of a rule: %s", (_what, fieldPath, expected) => {
  const fields = { a: INT, "b.c": INT, m: { type: "object", additionalProperties: INT } };
  expect(findingsOf(spec(fields, { rule: "false", message: "m", ...fieldPath }), { spec: {} })).toEqual([
    expected,
  ]);
});

test.each<[string, string, string]>([
  ["an expression makes it", "'a is ' + string(self.a)", "a is 0"],
  ["one that fails leaves the message", "string(1 / self.a)", "static"],
  ["one that makes nothing leaves the message", "' '", "static"],
  ["one of several lines leaves the message", "'a\\nb'", "static"],
  ["one that is too long leaves the message", `'${"x".repeat(5121)}'`, "static"],
])("the message of a rule: %s", (_what, messageExpression, expected) => {
  const schema = spec({ a: INT }, { rule: "self.a > 0", message: "static", messageExpression });
  expect(findingsOf(schema, { spec: { a: 0 } })).toEqual([`spec: Invalid value: ${expected}`]);
});

test.each<[string, JsonObject, unknown, string]>([
  [
    "a field that is absent",
    spec({ a: INT, b: INT }, { rule: "self.a < self.b", message: "order" }),
    { b: 1 },
    `spec: Invalid value: "object": no such key: a evaluating rule: order`,
  ],
  [
    "a division by zero",
    spec({ a: INT }, "1 / self.a > 0"),
    { a: 0 },
    'spec: Invalid value: "object": division by zero evaluating rule: 1 / self.a > 0',
  ],
  [
    "values of the wrong types",
    spec({ a: { "x-kubernetes-int-or-string": true } }, "self.a + 1 > 0"),
    { a: "x" },
    `spec: Invalid value: "object": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self.a + 1 > 0`,
  ],
  [
    "an index outside of a list",
    spec({ l: { type: "array", items: INT } }, "self.l[1] > 0"),
    { l: [1] },
    'spec: Invalid value: "object": index out of bounds: 1 evaluating rule: self.l[1] > 0',
  ],
  [
    "a text of the wrong form",
    spec({ a: { ...TEXT, ...rules("ip(self).family() == 6") } }),
    { a: "x" },
    'spec.a: Invalid value: "string": IP Address "x" parse error during conversion from string: ParseAddr("x"): unable to parse IP evaluating rule: ip(self).family() == 6',
  ],
])("a rule that fails to evaluate is a finding: %s", (_what, schema, value, expected) => {
  expect(findingsOf(schema, { spec: value })).toEqual([expected]);
});

const GROWS = { ...INT, ...rules({ rule: "self >= oldSelf", message: "only grows" }) };
const KEYED = {
  type: "array",
  items: object({ name: TEXT, v: GROWS }),
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
};

test.each<[string, JsonObject, unknown, unknown, string[]]>([
  ["is not evaluated at creation", { v: GROWS }, { v: 1 }, undefined, []],
  ["is not evaluated for a field that is new", { v: GROWS }, { v: 1 }, {}, []],
  ["compares with the old value", { v: GROWS }, { v: 1 }, { v: 2 }, ["spec.v: Invalid value: 1: only grows"]],
  [
    "finds the old entry of a map by its key",
    { m: { type: "object", additionalProperties: GROWS } },
    { m: { a: 1, b: 5 } },
    { m: { b: 6, a: 0 } },
    ["spec.m[b]: Invalid value: 5: only grows"],
  ],
  [
    "finds the old item of a keyed list by its key",
    { l: KEYED },
    { l: [{ name: "a", v: 4 }] },
    {
      l: [
        { name: "b", v: 9 },
        { name: "a", v: 5 },
      ],
    },
    ["spec.l[0].v: Invalid value: 4: only grows"],
  ],
  [
    "is not evaluated for an item with a new key",
    { l: KEYED },
    { l: [{ name: "c", v: 4 }] },
    { l: [{ name: "a", v: 5 }] },
    [],
  ],
])("a transition rule %s", (_what, properties, value, old, expected) => {
  expect(
    findingsOf(spec(properties), { spec: value }, old === undefined ? undefined : { spec: old }),
  ).toEqual(expected);
});

const OPTIONAL = spec({
  a: {
    ...TEXT,
    ...rules({
      rule: 'oldSelf.hasValue() ? self == oldSelf.value() : self == "new"',
      optionalOldSelf: true,
      message: "m",
    }),
  },
});

test.each<[string, string, string | undefined, string[]]>([
  ["there is no old value at creation", "new", undefined, []],
  [
    "there is no old value at creation, and the rule fails",
    "x",
    undefined,
    ['spec.a: Invalid value: "x": m'],
  ],
  ["there is one at an update", "y", "x", ['spec.a: Invalid value: "y": m']],
  ["there is one that is the same", "x", "x", []],
])("a rule with an optional old value is always evaluated: %s", (_what, value, old, expected) => {
  expect(
    findingsOf(OPTIONAL, { spec: { a: value } }, old === undefined ? undefined : { spec: { a: old } }),
  ).toEqual(expected);
});

const POSITIVE = { ...INT, ...rules({ rule: "self > 0", message: "positive" }) };
const ITEMS = { type: "array", items: object({ name: TEXT, v: POSITIVE }) };
const FOUND = "positive";

test.each<[string, JsonObject, unknown, unknown, string[]]>([
  ["a field that did not change", { a: POSITIVE, b: INT }, { a: 0, b: 1 }, { a: 0, b: 2 }, []],
  ["not a field that did", { a: POSITIVE }, { a: 0 }, { a: -1 }, [`spec.a: Invalid value: 0: ${FOUND}`]],
  ["not a field that is new", { a: POSITIVE }, { a: 0 }, {}, [`spec.a: Invalid value: 0: ${FOUND}`]],
  [
    "an item of a keyed list that did not change",
    { l: { ...ITEMS, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] } },
    {
      l: [
        { name: "b", v: 1 },
        { name: "a", v: 0 },
      ],
    },
    { l: [{ name: "a", v: 0 }] },
    [],
  ],
  [
    "not an item of another list, when the list changed",
    { l: ITEMS },
    {
      l: [
        { name: "a", v: 0 },
        { name: "b", v: 1 },
      ],
    },
    { l: [{ name: "a", v: 0 }] },
    [`spec.l[0].v: Invalid value: 0: ${FOUND}`],
  ],
  [
    "an item of another list, when the list did not change",
    { l: ITEMS, b: INT },
    { l: [{ name: "a", v: 0 }], b: 1 },
    { l: [{ name: "a", v: 0 }], b: 2 },
    [],
  ],
])(
  "findings are tolerated for values that were bad before: %s",
  (_what, properties, value, old, expected) => {
    expect(findingsOf(spec(properties), { spec: value }, { spec: old })).toEqual(expected);
  },
);

const ODD_NAMES = { namespace: TEXT, "a-b": TEXT, in: TEXT, "q r": TEXT, __x__: TEXT, var: TEXT };

test.each([
  ["self.namespace == 'x' && self.__namespace__ == 'x'", true],
  ["has(self.namespace) && !has(self.var)", true],
  ["dyn(self)['namespace'] == 'x' && dyn(self).__namespace__ == 'x'", true],
  ["dyn(self)['in'] == 'z' && dyn(self)['a-b'] == 'y' && dyn(self)['a__dash__b'] == 'y'", true],
  ["dyn(self)['q r'] == 'w' && dyn(self).exists(k, k == 'q r')", true],
  ["dyn(self).exists(k, k == '__namespace__')", true],
  ["dyn(self).exists(k, k == 'namespace')", false],
  ["'__x__' in dyn(self)", false],
])("a field is found by its own name and by its escape: %s", (rule, holds) => {
  const data = { namespace: "x", "a-b": "y", in: "z", "q r": "w", __x__: "x" };
  expect(findingsOf(object(ODD_NAMES, rules(rule)), data)).toHaveLength(holds ? 0 : 1);
});

test("what compares with the old value is not tolerated", () => {
  const schema = spec({ a: { ...INT, ...rules("self > oldSelf") } });
  expect(findingsOf(schema, { spec: { a: 1 } }, { spec: { a: 1 } })).toEqual([
    "spec.a: Invalid value: 1: failed rule: self > oldSelf",
  ]);
});

test("tolerated findings are told apart", () => {
  const tolerated: FieldError[] = [];
  const node = compileSchema(spec({ a: POSITIVE }));
  const same = { spec: { a: 0 } };
  const onTolerated = (finding: FieldError) => tolerated.push(finding);
  expect(validateRules(node, same, same, { onTolerated })).toEqual([]);
  expect(tolerated.map(({ field }) => field)).toEqual(["spec.a"]);
});

test("the path of a part of an object can be given", () => {
  const node = compileSchema(object({ a: POSITIVE }, rules("has(self.b)")));
  expect(validateRules(node, { a: 0 }, undefined, { root: "spec.part" }).map(({ field }) => field)).toEqual([
    "spec.part",
    "spec.part.a",
  ]);
});

test("a rule that costs too much ends the evaluation", () => {
  const loops = "lists.range(1000).all(x, lists.range(1000).all(y, lists.range(1000).all(z, true)))";
  const schema = spec({ a: POSITIVE }, { rule: loops, message: "m" }, "false");
  const start = cpuMs();
  expect(findingsOf(schema, { spec: { a: 0 } })).toEqual([
    `spec: Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: m`,
  ]);
  expect(cpuMs() - start).toBeLessThan(5_000);
});

test("many rules that are dear together end the evaluation", () => {
  const dear = { ...INT, ...rules("lists.range(1000).all(x, lists.range(200).all(y, true))") };
  const found = findingsOf(spec({ l: { type: "array", items: dear } }), { spec: { l: Array(100).fill(1) } });
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(
    /^spec\.l\[\d+\]: Invalid value: "integer": validation failed due to running out of cost budget, no further validation rules will be run$/,
  );
});

test("schemas without rules are not looked into", () => {
  const node = compileSchema(spec({ a: INT }));
  const trap = new Proxy({}, { ownKeys: () => expect.unreachable(), get: () => expect.unreachable() });
  expect(validateRules(node, trap, undefined)).toEqual([]);
});
