import { expect, test } from "vitest";
import { problemsOf, resultOf } from "../support.ts";

test.each<[string, string, string]>([
  ["isSorted", "list.isSorted() && !numbers.isSorted() && empty.isSorted()", "true"],
  ["sum of ints", "numbers.sum()", "6"],
  ["sum of none", "empty.sum()", "0"],
  ["sum of doubles", "[1.5, 2.5].sum()", "4.0"],
  ["sum of durations", 'string([duration("1m"), duration("2s")].sum())', '"62s"'],
  ["min", "numbers.min()", "1"],
  ["max of texts", "list.max()", '"c"'],
  ["max of none", "empty.max()", "error: max called on empty list"],
  ["indexOf", 'list.indexOf("c")', "2"],
  ["lastIndexOf", "[1, 2, 1].lastIndexOf(1)", "2"],
  ["slice", "list.slice(1, 3)", '["b", "c"]'],
  ["slice beyond the end", "list.slice(1, 9)", "error: cannot slice(1, 9), list is length 3"],
  [
    "slice the wrong way round",
    "list.slice(2, 1)",
    "error: cannot slice(2, 1), start index must be less than or equal to end index",
  ],
  ["flatten one level", "[[1], [2, 3]].flatten()", "[1, 2, 3]"],
  ["flatten more levels", "[[[1]], [[2]]].flatten(2)", "[1, 2]"],
  ["sort", "numbers.sort()", "[1, 2, 3]"],
  ["sortBy", '["bb", "a", "ccc"].sortBy(x, -x.size())', '["ccc", "bb", "a"]'],
  ["distinct", "[1, 2, 1, 3, 2].distinct()", "[1, 2, 3]"],
  ["reverse", "numbers.reverse()", "[2, 1, 3]"],
  ["range", "lists.range(3)", "[0, 1, 2]"],
  ["sets.contains", "sets.contains(numbers, [1, 3]) && !sets.contains(numbers, [4])", "true"],
  ["sets.equivalent looks at neither order nor count", "sets.equivalent(numbers, [1, 2, 3, 3])", "true"],
  ["sets.intersects", "sets.intersects(numbers, [9, 1]) && !sets.intersects(numbers, [9])", "true"],
])("%s: %s", (_rule, text, expected) => {
  expect(resultOf(text)).toBe(expected);
});

test.each([
  [
    "a list of lists has no order",
    "[[1]].sort()",
    ["1:11: found no matching overload for 'sort' applied to 'list(list(int)).()'"],
  ],
  [
    "texts have no sum",
    "list.sum()",
    ["1:9: found no matching overload for 'sum' applied to 'list(string).()'"],
  ],
  [
    "mathematical functions are not enabled",
    "math.greatest(1, 2)",
    [
      "1:1: undeclared reference to 'math' (in container '')",
      "1:14: undeclared reference to 'greatest' (in container '')",
    ],
  ],
])("%s", (_rule, text, expected) => {
  expect(problemsOf(text)).toEqual(expected);
});
