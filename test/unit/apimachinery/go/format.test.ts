import { expect, test } from "vitest";
import { formatGoSyntax, formatGoValue, goTypeOf } from "../../../../src/apimachinery/go/format.ts";
import { encodeGoJson } from "../../../../src/apimachinery/json/json-encode.ts";

test.each<[string, string, string, unknown]>([
  ["<nil>", "interface {}(nil)", "<nil>", null],
  ["a b", '"a b"', "string", "a b"],
  ["true", "true", "bool", true],
  ["5", "5", "int64", 5],
  ["4611686018427387904", "4611686018427387904", "int64", 2n ** 62n],
  ["1.5", "1.5", "float64", 1.5],
  ["1e-07", "1e-07", "float64", 1e-7],
  ["1.2345675e+06", "1.2345675e+06", "float64", 1_234_567.5],
  ["1e+20", "1e+20", "float64", 1e20],
  ["[1 x <nil>]", '[]interface {}{1, "x", interface {}(nil)}', "[]interface {}", [1, "x", null]],
  [
    "map[a:[] b:map[c:1]]",
    'map[string]interface {}{"a":[]interface {}{}, "b":map[string]interface {}{"c":1}}',
    "map[string]interface {}",
    { b: { c: 1 }, a: [] },
  ],
])("%s", (plain, syntax, type, value) => {
  expect(formatGoValue(value)).toBe(plain);
  expect(formatGoSyntax(value)).toBe(syntax);
  expect(goTypeOf(value)).toBe(type);
});

test("JSON as Go writes it: sorted, with what HTML would mistake escaped", () => {
  expect(encodeGoJson({ b: "<&>", a: "\u2028é" })).toBe('{"a":"\\u2028é","b":"\\u003c\\u0026\\u003e"}');
});
