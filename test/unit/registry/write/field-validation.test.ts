import { expect, test } from "vitest";
import type { FieldValidation } from "../../../../src/registry/definition/request-context.ts";
import { reportFindings } from "../../../../src/registry/write/field-validation.ts";

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
