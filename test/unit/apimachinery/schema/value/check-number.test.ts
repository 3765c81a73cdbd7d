import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { check } from "../support.ts";

describe("numbers", () => {
  test.each<[JsonObject, unknown, string[]]>([
    [
      { type: "integer", minimum: 2 },
      1,
      ["spec.x: Invalid value: 1: spec.x in body should be greater than or equal to 2"],
    ],
    [
      { type: "number", maximum: 5.5 },
      6,
      ["spec.x: Invalid value: 6: spec.x in body should be less than or equal to 5"],
    ],
    [
      { type: "number", maximum: 5.5 },
      5.75,
      ["spec.x: Invalid value: 5.75: spec.x in body should be less than or equal to 5.5"],
    ],
    [
      { type: "integer", minimum: 0, exclusiveMinimum: true },
      0,
      ["spec.x: Invalid value: 0: spec.x in body should be greater than 0"],
    ],
    [
      { type: "number", maximum: 1, exclusiveMaximum: true },
      1,
      ["spec.x: Invalid value: 1: spec.x in body should be less than 1"],
    ],
    [
      { type: "integer", multipleOf: 3 },
      4,
      ["spec.x: Invalid value: 4: spec.x in body should be a multiple of 3"],
    ],
    [
      { type: "integer", format: "int32" },
      2147483648,
      ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.x'],
    ],
    [
      { type: "integer" },
      1.5,
      [
        'spec.x: Invalid value: "number": spec.x in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.x',
      ],
    ],
    [
      { type: "integer", format: "int32", maximum: 65535 },
      99999999999,
      [
        '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.x',
        "spec.x: Invalid value: 99999999999: spec.x in body should be less than or equal to 65535",
      ],
    ],
    [
      { type: "integer", format: "int64" },
      2 ** 63,
      [
        'spec.x: Invalid value: "float64": spec.x in body must be of type int64: "float64"',
        '<nil>: Invalid value: "": Checked value must be of type integer with format int64 in spec.x',
      ],
    ],
    [
      { type: "number", format: "float" },
      1e300,
      ['<nil>: Invalid value: "": Checked value must be of type number with format float in spec.x'],
    ],
    [
      { type: "integer", format: "int64", maximum: 9007199254740992 },
      9007199254740995n,
      [
        "spec.x: Invalid value: 9007199254740995: spec.x in body should be less than or equal to 9007199254740992",
      ],
    ],
    [
      { type: "number", multipleOf: 0.5 },
      1.25,
      ["spec.x: Invalid value: 1.25: spec.x in body should be a multiple of 0.5"],
    ],
  ])("%j with %s", (schema, value, expected) => {
    expect(check(schema, value)).toEqual(expected);
  });

  test.each<[JsonObject, unknown]>([
    [{ type: "integer", multipleOf: 5 }, -10],
    [{ type: "number", multipleOf: 0.1 }, 0.3],
    [{ type: "integer", minimum: -5, maximum: 5 }, -5],
    [{ type: "number", format: "float" }, 1.5],
    [{ type: "integer", multipleOf: 2 }, 9007199254740994n],
  ])("%j takes %s", (schema, value) => {
    expect(check(schema, value)).toEqual([]);
  });
});
