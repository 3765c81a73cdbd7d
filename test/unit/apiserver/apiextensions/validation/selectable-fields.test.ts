import { describe, expect, test } from "vitest";
import { crdWith, found, version } from "./support.ts";

describe("selectable fields", () => {
  const schema = {
    type: "object",
    properties: {
      metadata: { type: "object", properties: { name: { type: "string" } } },
      spec: {
        type: "object",
        properties: {
          a: { type: "string" },
          o: { type: "object", additionalProperties: { type: "integer" } },
        },
      },
    },
  };
  const errors = (...paths: string[]): string[] =>
    found(
      crdWith({ versions: [version({ selectableFields: paths.map((jsonPath) => ({ jsonPath })) }, schema)] }),
    );

  test.each<[string, string, string | undefined]>([
    ["may be scalars", ".spec.a", undefined],
    ["may be values of maps", ".spec.o.key", undefined],
    [
      "may not be objects",
      ".spec.o",
      "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
    ],
    ["may not lie in metadata", ".metadata.name", "must not point to fields in metadata"],
    ["must be known", ".spec.b", "is an invalid path: does not refer to a valid field"],
    ["begin with a dot", "spec", "is an invalid path: expected [ or . but got: spec"],
    ["end with a name", ".spec.", "is an invalid path: unexpected end of JSON path"],
    ["have no brackets", ".spec['a']", "is an invalid path: array notation is not allowed"],
  ])("%s", (_rule, path, detail) => {
    const expected =
      detail && `spec.selectableFields[0].jsonPath: Invalid value: ${JSON.stringify(path)}: ${detail}`;
    expect(errors(path)).toEqual(expected ? [expected] : []);
  });

  test("are given once, and no more than eight", () => {
    expect(errors(".spec.a", ".spec.a")).toEqual([
      'spec.selectableFields[1].jsonPath: Duplicate value: ".spec.a"',
    ]);
    const many = Array.from({ length: 9 }, (_, index) => `.spec.o.k${index}`);
    expect(errors(...many)).toEqual(["spec.selectableFields: Too many: 9: must have at most 8 items"]);
  });
});
