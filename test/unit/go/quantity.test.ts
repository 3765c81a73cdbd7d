import { expect, test } from "vitest";
import { canonicalQuantity, QUANTITY_FORMAT_ERROR, quantityError } from "../../../src/go/quantity.ts";

test.each([
  ["1", "1"],
  ["0", "0"],
  ["-0", "0"],
  ["1000m", "1"],
  ["1500m", "1500m"],
  ["0.5", "500m"],
  [".5", "500m"],
  ["5.", "5"],
  ["1024Mi", "1Gi"],
  ["1.5Gi", "1536Mi"],
  ["0.5Ki", "512"],
  ["1Ki", "1Ki"],
  ["1000", "1k"],
  ["1000k", "1M"],
  ["100", "100"],
  ["1e3", "1e3"],
  ["1E3", "1e3"],
  ["1E", "1E"],
  ["15e2", "1500"],
  ["-1000m", "-1"],
  ["1n", "1n"],
  ["0.1n", "1n"],
  ["1e-12", "1e-9"],
  ["10000000000000000000", "9223372036854775807"],
  ["+1", "1"],
])("%s is printed as %s", (text, expected) => {
  expect(quantityError(text)).toBeUndefined();
  expect(canonicalQuantity(text)).toBe(expected);
  expect(canonicalQuantity(expected)).toBe(expected);
});

test.each(["", "lots", "1.2.3", "1 Gi", "--1", "0x1", "."])("%j is no quantity", (text) => {
  expect(quantityError(text)).toBe(QUANTITY_FORMAT_ERROR);
});

test("a suffix that is none", () => {
  expect(quantityError("1mm")).toBe("unable to parse quantity's suffix");
});
