import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { check } from "../support.ts";

const STRING = { type: "string" };

describe("enumerations", () => {
  test.each<[JsonObject, unknown, string[]]>([
    [{ type: "integer", enum: [1, 2] }, 3, ['spec.x: Unsupported value: 3: supported values: "1", "2"']],
    [{ type: "number", enum: [1.5] }, 1e21, ['spec.x: Unsupported value: 1e+21: supported values: "1.5"']],
    [{ type: "number", enum: [1.5] }, 1e-7, ['spec.x: Unsupported value: 1e-07: supported values: "1.5"']],
    [
      { type: "string", nullable: true, enum: ["a"] },
      null,
      ['spec.x: Unsupported value: null: supported values: "a"'],
    ],
    [{ type: "object", properties: { a: STRING }, enum: [{ a: "1" }] }, { a: "1" }, []],
    [{ type: "number", enum: [1] }, 1.75, []],
  ])("%j with %s", (schema, value, expected) => {
    expect(check(schema, value)).toEqual(expected);
  });

  test("a listed integer beyond 2^53 is found", () => {
    expect(check({ type: "integer", enum: [9007199254740993n] }, 9007199254740993n)).toEqual([]);
  });
});
