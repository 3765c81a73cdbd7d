import { expect, test } from "vitest";
import { resultOf } from "../support.ts";

test.each<[string, string, string]>([
  ["all holds for every element", "list.all(x, x.size() == 1)", "true"],
  ["all holds for none", "empty.all(x, false)", "true"],
  ["all is decided by one that fails, whatever fails to evaluate", "[0, 1].all(x, 1 / x > 1)", "false"],
  ["exists holds for one", 'list.exists(x, x == "b")', "true"],
  ["exists fails with its only elements", "[0].exists(x, 1 / x > 1)", "error: division by zero"],
  ["exists_one holds for exactly one", "numbers.exists_one(x, x > 2)", "true"],
  ["exists_one does not hold for two", "numbers.exists_one(x, x > 1)", "false"],
  ["filter keeps", "numbers.filter(x, x > 1)", "[3, 2]"],
  ["map changes", "numbers.map(x, x * 10)", "[30, 10, 20]"],
  ["map with a filter", "numbers.map(x, x > 1, x * 10)", "[30, 20]"],
  ["loops over a map see its keys", "m.map(k, k)", '["a", "b"]'],
  ["loops nest", "list.map(x, numbers.map(y, x + string(y)))[1][2]", '"b2"'],
  ["all with two names", 'list.all(i, v, i < 3 && v != "")', "true"],
  ["exists with two names", 'm.exists(k, v, k == "b" && v == 2)', "true"],
  ["exists_one with two names", "list.exists_one(i, v, i == 1)", "true"],
  ["existsOne is the same", "list.existsOne(i, v, i == 1)", "true"],
  ["transformList", "m.transformList(k, v, k + string(v))", '["a1", "b2"]'],
  ["transformList with a filter", "list.transformList(i, v, i > 0, v)", '["b", "c"]'],
  ["transformMap keeps the keys", "m.transformMap(k, v, v * 10)", '{"a": 10, "b": 20}'],
  ["transformMap of a list has the indexes", "list.transformMap(i, v, i < 1, v)", '{0: "a"}'],
  ["transformMapEntry makes the keys", "m.transformMapEntry(k, v, {v: k})", '{1: "a", 2: "b"}'],
  [
    "transformMapEntry makes no key twice",
    "[1, 1].transformMapEntry(i, v, {v: i})",
    "error: insert failed: key 1 already exists",
  ],
])("%s: %s", (_rule, text, expected) => {
  expect(resultOf(text)).toBe(expected);
});

test.each<[string, string, string]>([
  ["optional.of holds a value", "optional.of(3)", "optional(3)"],
  ["optional.none holds none", "optional.none().hasValue()", "false"],
  ["optional.ofNonZeroValue leaves out what is empty", 'optional.ofNonZeroValue("")', "none"],
  ["orValue takes the value", "optional.of(3).orValue(4)", "3"],
  ["orValue takes the other where there is none", "m[?'c'].orValue(4)", "4"],
  ["or takes the first that has a value", "m[?'c'].or(m[?'b']).value()", "2"],
  ["value() of none fails", "m[?'c'].value()", "error: optional.none() dereference"],
  ["a field that may be missing", "m.?a.hasValue() && !m.?c.hasValue()", "true"],
  ["an element that may be missing", "list[?5].hasValue()", "false"],
  ["selection goes on inside an optional", '{"a": {"b": 1}}.?a.b.orValue(0)', "1"],
  ["has() of an optional field", "has({'a': {'b': 1}}.?a.b)", "true"],
  ["optional elements are left out", "[?m[?'c'], ?m[?'a']]", "[1]"],
  ["optional entries are left out", "{?'x': m[?'c'], ?'y': m[?'a']}", '{"y": 1}'],
  ["optMap changes what is there", "m[?'a'].optMap(x, x + 1)", "optional(2)"],
  ["optMap leaves what is not", "m[?'c'].optMap(x, x + 1)", "none"],
  ["optFlatMap takes an optional", "m[?'a'].optFlatMap(x, m[?'b'])", "optional(2)"],
  [
    "optionals are equal by value",
    "optional.of(1) == optional.of(1) && optional.of(1) != optional.none()",
    "true",
  ],
  ["unwrapOpt keeps the values", "[optional.of(1), optional.none()].unwrapOpt()", "[1]"],
  ["first of a list", "numbers.first().orValue(0) + empty.last().orValue(7)", "10"],
])("%s: %s", (_rule, text, expected) => {
  expect(resultOf(text)).toBe(expected);
});
