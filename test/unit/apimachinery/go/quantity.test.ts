import { expect, test } from "vitest";
import {
  canonicalQuantity,
  inThousandths,
  QUANTITY_FORMAT_ERROR,
  quantityError,
  quantityNanos,
} from "../../../../src/apimachinery/go/quantity.ts";

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

test.each(["", "lots", "1.2.3", "1 Gi", "1,5", "0x1", "-0x"])("%j is no quantity", (text) => {
  expect(quantityError(text)).toBe(QUANTITY_FORMAT_ERROR);
});

test.each(["1mm", "1e", "mi", "--1", "1e99999999999999999999"])("%j has a suffix that is none", (text) => {
  expect(quantityError(text)).toBe("unable to parse quantity's suffix");
});

// Go's scanner takes no digits for a zero, and only where the amount does not fit an int64 it looks again.
test.each([".", "+", "Ki", "-.m"])("%j is nothing", (text) => {
  expect(canonicalQuantity(text)).toBe("0");
});

test.each(["Ei", "e-12", "e-20"])("%j has no number", (text) => {
  expect(quantityError(text)).toBe("unable to parse numeric part of quantity");
});

test.each([
  ["1", 1_000_000_000n],
  ["500m", 500_000_000n],
  ["1Ki", 1_024_000_000_000n],
  ["1.5k", 1_500_000_000_000n],
  ["1e3", 1_000_000_000_000n],
  ["-2", -2_000_000_000n],
  ["1n", 1n],
  ["0.1n", 1n],
  ["", 0n],
  ["lots", 0n],
  [undefined, 0n],
])("the quantity %j is %s billionths", (text, nanos) => {
  expect(quantityNanos(text)).toBe(nanos);
});

test.each([
  ["100u", "1m"],
  ["-100u", "-1m"],
  ["1500u", "2m"],
  ["1n", "1m"],
  ["1m", "1m"],
  ["1Gi", "1Gi"],
])("%s in whole thousandths is %s", (text, expected) => {
  expect(inThousandths(text)).toBe(expected);
});
