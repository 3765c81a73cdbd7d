// Validation errors are shown at the lines of their fields.
import { expect, test } from "vitest";
import { findingsOf } from "../../../src/ui/object/findings.ts";

const TEXT = `kind: EgressIP
metadata:
  name: web
spec:
  egressIPs:
  - 192.168.126.101
  - 192.168.126.300
`;
const refused = (message: string, ...causes: { field: string; message: string }[]) =>
  findingsOf({ code: 422, reason: "Invalid", message, causes }, TEXT);

test("causes at their fields, and what is missing at what should have it", () => {
  expect(
    refused(
      "",
      { field: "spec.egressIPs[1]", message: "Invalid value" },
      { field: "spec.namespaceSelector", message: "Required value" },
      { field: "status.items[0].node", message: "odd" },
    ),
  ).toEqual([
    { message: "spec.egressIPs[1]: Invalid value", line: 6 },
    { message: "spec.namespaceSelector: Required value", line: 3 },
    { message: "status.items[0].node: odd", line: undefined },
  ]);
});

test("strict decoding and YAML name their places in words", () => {
  expect(
    refused('strict decoding error: unknown field "spec.egressIPs[0].x", duplicate field "metadata.name"'),
  ).toEqual([
    { message: 'unknown field "spec.egressIPs[0].x"', line: 5 },
    { message: 'duplicate field "metadata.name"', line: 2 },
  ]);
  expect(refused("error converting YAML to JSON: yaml: line 3: did not find")[0]?.line).toBe(2);
  expect(refused("conflict")).toEqual([{ message: "conflict", line: undefined }]);
});
