import { describe, expect, test } from "vitest";
import {
  acceptObject,
  decodeGiven,
  reportFindings,
} from "../../../../../src/apiserver/registry/codec/object-decoder.ts";
import type { FieldValidation } from "../../../../../src/apiserver/registry/definition/request-context.ts";
import { builtInView, contextFor, customView, decoded, refusal } from "../support.ts";

const configMaps = builtInView("configmaps");

const FINDINGS = [
  'yaml: unmarshal errors:\n  line 2: key "a" already set in map\n  line 3: key "a" already set in map',
  'unknown field "x"',
];

function reported(mode: FieldValidation): { warned: string[]; refused: unknown } {
  const warned: string[] = [];
  try {
    reportFindings(mode, FINDINGS, (text) => warned.push(text), Error);
    return { warned, refused: undefined };
  } catch (error) {
    return { warned, refused: error };
  }
}

test("Strict refuses all findings at once", () => {
  expect(reported("Strict")).toEqual({
    warned: [],
    refused: new Error(`strict decoding error: ${FINDINGS.join(", ")}`),
  });
});

test("Warn tells each, and those of YAML line by line", () => {
  expect(reported("Warn")).toEqual({
    warned: ['line 2: key "a" already set in map', 'line 3: key "a" already set in map', 'unknown field "x"'],
    refused: undefined,
  });
});

test("Ignore says nothing", () => {
  expect(reported("Ignore")).toEqual({ warned: [], refused: undefined });
});

test.each([
  ["v1", undefined],
  ["v2", "the API version in the data (v2) does not match the expected API version (v1)"],
  [undefined, "the API version in the data () does not match the expected API version (v1)"],
])("apiVersion %s at v1: %s", (apiVersion, complaint) => {
  const object = { metadata: {}, ...(apiVersion ? { apiVersion } : {}) };
  const check = () => acceptObject(configMaps, decoded(object), contextFor());
  if (complaint === undefined) expect(check).not.toThrow();
  else expect(check).toThrow(complaint);
});

describe("an object that no text was read for", () => {
  const things = customView({ type: "object", properties: { n: { type: "integer" } } });
  const accepted = (view: typeof things, value: Record<string, unknown>) =>
    refusal(() => acceptObject(view, decodeGiven(view, value), contextFor()));

  test("need not say what it is where its kind is built in", () => {
    expect(decodeGiven(configMaps, { metadata: { name: "c" } })).toEqual({
      object: { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "c" } },
      findings: [],
    });
  });

  test("of a wrong type is refused as a decoder refuses it", () => {
    expect(accepted(configMaps, { data: { a: 1 } })).toBe(
      '400 ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    );
  });

  test.each([
    [configMaps, { dta: {} }, "ConfigMap", "dta"],
    [things, { apiVersion: "example.com/v1", kind: "Thing", spec: { odd: 1 } }, "Thing", "spec.odd"],
  ])("with an unknown field is refused: %#", (view, value, kind, field) => {
    const why = `cannot be handled as a ${kind}: strict decoding error: unknown field "${field}"`;
    expect(accepted(view, value)).toBe(`400 ${kind} in version "v1" ${why}`);
  });
});
