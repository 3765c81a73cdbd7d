import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { crdWith, found, version } from "./support.ts";

const PATH = "spec.validation.openAPIV3Schema";
const UNIQUE = "Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
const findings = (schema: JsonObject, more: JsonObject = {}) =>
  found(crdWith({ versions: [version(more, schema)] }));

const unique = { type: "array", items: { type: "string" }, uniqueItems: true };
const ruled = (rule: string) => ({ type: "string", "x-kubernetes-validations": [{ rule }] });
const object = (properties: JsonObject, more: JsonObject = {}) => ({ type: "object", properties, ...more });

describe("$schema", () => {
  const refusal = `${PATH}: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`;
  const $schema = "http://json-schema.org/draft-04/schema#";

  test.each([
    ["at the root", object({}, { $schema })],
    ["of a property", object({ a: { type: "string", $schema } })],
    ["of a branch", object({ a: { type: "string", not: { $schema } } })],
  ])("is not supported: %s", (_place, schema) => {
    expect(findings(schema)).toEqual([refusal]);
  });

  test("is nothing while it is empty", () => {
    expect(findings(object({ a: { type: "string", $schema: "" } }))).toEqual([]);
  });

  test("is not told beside other findings", () => {
    expect(findings(object({ a: unique, b: { type: "string", $schema } }))).toEqual([
      `${PATH}.properties[a].uniqueItems: ${UNIQUE}`,
    ]);
  });
});

describe("rules are compiled beside a fault of the schema", () => {
  const fault = `${PATH}.properties[a].uniqueItems: ${UNIQUE}`;
  const atRule = (path: string) =>
    expect.stringContaining(`${path}.x-kubernetes-validations[0].rule: Invalid value`);

  test("that stands elsewhere, and what is wrong with them comes after it", () => {
    expect(findings(object({ b: ruled("self.foo"), a: unique }))).toEqual([
      fault,
      atRule(`${PATH}.properties[b]`),
    ]);
  });

  test("but not above it, nor at its place", () => {
    const rules = { "x-kubernetes-validations": [{ rule: "self.foo" }] };
    expect(findings(object({ a: { ...unique, ...rules } }, rules))).toEqual([fault]);
  });

  test("of the root alone", () => {
    const schema = object({ b: ruled("self.foo") }, { nullable: true });
    expect(findings(schema)).toEqual([
      `${PATH}.nullable: Forbidden: nullable cannot be true at the root`,
      atRule(`${PATH}.properties[b]`),
    ]);
  });

  test("unless the schema is not structural", () => {
    expect(findings(object({ b: ruled("self.foo"), a: {} }))).toEqual([
      `${PATH}.properties[a].type: Required value: must not be empty for specified object fields`,
    ]);
  });
});
