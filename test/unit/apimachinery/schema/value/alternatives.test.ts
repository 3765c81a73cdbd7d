import { describe, expect, test } from "vitest";
import { compileSchema } from "../../../../../src/apimachinery/schema/compile-schema.ts";
import { validateSchema } from "../../../../../src/apimachinery/schema/validate.ts";
import { check, customSchema, texts } from "../support.ts";

const STRING = { type: "string" };

describe("alternatives", () => {
  const router = compileSchema(customSchema("egressrouter"));
  const route = compileSchema(customSchema("route"));
  const vtep = compileSchema(customSchema("vtep"));
  const name = compileSchema({
    type: "object",
    properties: {
      metadata: {
        type: "object",
        properties: { name: { type: "string", anyOf: [{ format: "ipv4" }, { pattern: "^[0-9a-f]{4}$" }] } },
      },
    },
  });
  test.each<[string, ReturnType<typeof compileSchema>, unknown, string[]]>([
    [
      "oneOf: the findings of the alternative that fitted best",
      router,
      { spec: { addresses: [], mode: "Redirect", networkInterface: { macvlan: { mode: "Bridge" } } } },
      [
        '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found none valid',
        "spec.redirect: Required value",
      ],
    ],
    [
      "oneOf: a wrong value inside of the alternative",
      router,
      {
        spec: {
          addresses: [],
          mode: "Other",
          redirect: {},
          networkInterface: { macvlan: { mode: "Bridge" } },
        },
      },
      [
        '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found none valid',
        'spec.mode: Unsupported value: "Other": supported values: "Redirect"',
      ],
    ],
    [
      "anyOf: of equals the first",
      name,
      { metadata: { name: "x" } },
      [
        '<nil>: Invalid value: "": "metadata.name" must validate at least one schema (anyOf)',
        'metadata.name: Invalid value: "x": metadata.name in body must be of type ipv4: "x"',
      ],
    ],
    ["anyOf: one is enough", name, { metadata: { name: "00ff" } }, []],
    [
      "not, inside of allOf",
      route,
      {
        spec: {
          to: { kind: "Service", name: "s", weight: 1 },
          wildcardPolicy: "None",
          port: { targetPort: 0 },
        },
      },
      [
        '<nil>: Invalid value: "": "spec.port.targetPort" must not validate the schema (not)',
        '<nil>: Invalid value: "": "spec.port.targetPort" must validate all the schemas (allOf)',
      ],
    ],
    [
      "allOf: what two of them say is said once",
      vtep,
      { spec: { cidrs: ["10.0.0.0/24"], mode: "Auto" } },
      [
        'spec.mode: Unsupported value: "Auto": supported values: "Managed", "Unmanaged"',
        '<nil>: Invalid value: "": "spec.mode" must validate all the schemas (allOf). None validated',
      ],
    ],
  ])("%s", (_rule, node, object, expected) => {
    expect(texts(validateSchema(node, object))).toEqual(expected);
  });

  test("oneOf: two are too many", () => {
    expect(check({ ...STRING, oneOf: [{ minLength: 1 }, { maxLength: 5 }] }, "abc")).toEqual([
      '<nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ]);
  });

  test("a null is not checked against alternatives", () => {
    const schema = { ...STRING, nullable: true, oneOf: [{ minLength: 1 }, { maxLength: 5 }] };
    expect(check(schema, null)).toEqual([]);
  });
});
