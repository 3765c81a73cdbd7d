import { expect, test } from "vitest";
import { cpuMs } from "../../../../support/cpu-time.ts";
import { problemsOf } from "../support.ts";

test.each<[string, string, string]>([
  ["an unknown variable", "x == 1", "1:1: undeclared reference to 'x' (in container '')"],
  [
    "an unknown function, at its bracket",
    "nosuch(s)",
    "1:7: undeclared reference to 'nosuch' (in container '')",
  ],
  [
    "an unknown method, at its bracket",
    "s.nosuch()",
    "1:9: undeclared reference to 'nosuch' (in container '')",
  ],
  ["an unknown message", "Foo{a: 1}", "1:4: undeclared reference to 'Foo' (in container '')"],
  [
    "types that are not compared",
    "s == 1",
    "1:3: found no matching overload for '_==_' applied to '(string, int)'",
  ],
  [
    "types that are not ordered",
    "list > 1",
    "1:6: found no matching overload for '_>_' applied to '(list(string), int)'",
  ],
  [
    "types that are not added",
    "s + 1",
    "1:3: found no matching overload for '_+_' applied to '(string, int)'",
  ],
  ["a method of another type", "n.size()", "1:7: found no matching overload for 'size' applied to 'int.()'"],
  [
    "an argument of another type",
    "s.matches(n)",
    "1:10: found no matching overload for 'matches' applied to 'string.(int)'",
  ],
  [
    "too many arguments",
    "size(s, s)",
    "1:5: found no matching overload for 'size' applied to '(string, string)'",
  ],
  [
    "a method as a function",
    "startsWith(s, s)",
    "1:11: found no matching overload for 'startsWith' applied to '(string, string)'",
  ],
  [
    "a choice without a condition",
    "n ? 1 : 2",
    "1:3: found no matching overload for '_?_:_' applied to '(int, int, int)'",
  ],
  [
    "a choice between types",
    "b ? 1 : s",
    "1:3: found no matching overload for '_?_:_' applied to '(bool, int, string)'",
  ],
  ["an operand of && that is no bool", "b && n", "1:6: expected type 'bool' but found 'int'"],
  ["a negated number", "!n", "1:1: found no matching overload for '!_' applied to '(int)'"],
  ["a field of a number", "n.x", "1:2: type 'int' does not support field selection"],
  [
    "a loop over a number",
    "n.all(x, x)",
    "1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
  ],
  ["a loop whose test is no bool", "list.all(x, x)", "1:13: expected type 'bool' but found 'string'"],
  [
    "a filter whose test is no bool",
    "list.filter(x, x)",
    "1:12: found no matching overload for '_?_:_' applied to '(string, list(string), list(string))'",
  ],
  [
    "a lookup with the wrong key",
    'list["a"]',
    "1:5: found no matching overload for '_[_]' applied to '(list(string), string)'",
  ],
  [
    "membership of another type",
    "1 in list",
    "1:3: found no matching overload for '@in' applied to '(int, list(string))'",
  ],
  ["a list of several types", '[1, "a"]', "1:5: expected type 'int' but found 'string'"],
  ["a map with keys of several types", '{1: "a", "b": "c"}', "1:10: expected type 'int' but found 'string'"],
  [
    "a map with values of several types",
    '{"a": 1, "b": "c"}',
    "1:15: expected type 'int' but found 'string'",
  ],
  ["a broken constant pattern", 's.matches("[")', "1:11: invalid matches argument"],
  ["a broken constant duration", 'duration("1")', "1:10: invalid duration argument"],
  ["a broken constant timestamp", 'timestamp("today")', "1:11: invalid timestamp argument"],
  [
    "an optional where a value is expected",
    "optional.of(1) + 1",
    "1:16: found no matching overload for '_+_' applied to '(optional_type(int), int)'",
  ],
])("refuses %s: %s", (_what, text, expected) => {
  expect(problemsOf(text)).toEqual([expected]);
});

test.each([
  [
    "a variable is used in a loop only",
    "x.all(y, y.z)",
    ["1:1: undeclared reference to 'x' (in container '')"],
  ],
  [
    "problems are listed in reading order",
    "x == 1 && s == 1",
    [
      "1:1: undeclared reference to 'x' (in container '')",
      "1:13: found no matching overload for '_==_' applied to '(string, int)'",
    ],
  ],
  [
    "the types of a result are told, not those of its parts",
    "x + 1",
    ["1:1: undeclared reference to 'x' (in container '')"],
  ],
])("%s: %s", (_rule, text, expected) => {
  expect(problemsOf(text)).toEqual(expected);
});

test.each([
  ["dyn goes with any operator", "d + 1 == d"],
  ["numbers of different types are compared", "n < f && f >= 1 && 1u < n"],
  ["an empty list is a list of anything", "[] == [1] && [] == ['a']"],
  ["dyn() lets lists mix types", "[dyn(1), dyn('a')].size() == 2"],
  ["null is compared with what can be null", "null == duration('1s')"],
  ["types are values", "type(1) == int && type({}) == map && type(type(1)) == type"],
  ["loops over a map have the key", "m.all(k, k.startsWith('a'))"],
  [
    "loops with two names have index or key, and value",
    "list.all(i, v, i < 3 && v != '') && m.all(k, v, k != '' && v > 0)",
  ],
  ["an optional is unwrapped by orValue", "m[?'a'].orValue(0) + 1 == 2"],
  ["a name may be hidden by a loop", "list.all(s, s.size() == 1)"],
  ["comments are skipped", "1 == 1 // really\n"],
])("%s: %s", (_rule, text) => {
  expect(problemsOf(text)).toEqual([]);
});

test.each([
  ["types that double with every step", `[1]${".map(x, {x: x})".repeat(100)}.size() == 1`],
  ["macros that double their operand", `optional.of(1)${".optMap(x, x)".repeat(12)}.hasValue()`],
])("checking takes bounded time: %s", (_what, text) => {
  const start = cpuMs();
  expect(problemsOf(text)).toEqual([]);
  expect(cpuMs() - start).toBeLessThan(5_000);
});

test("a tree that would be huge is refused", () => {
  expect(problemsOf(`optional.of(1)${".optMap(x, x)".repeat(60)}.hasValue()`)).toEqual([
    "-1:0: expression node count exceeds limit: 250000",
  ]);
});
