// Texts of a client may be as long as a body. Each parser reads a character at most a few times; one with backtracking
// over such a text would exceed the test's time limit.
import { expect, test } from "vitest";
import { durationComplaint, parseGoDuration } from "../../../../src/apimachinery/go/duration.ts";
import { parseQuantity, QUANTITY_FORMAT_ERROR } from "../../../../src/apimachinery/go/quantity.ts";
import { parseGoFloat } from "../../../../src/apimachinery/go/strconv.ts";

const MANY = 2_000_000;
const ZEROS = "0".repeat(MANY);
const ONES = "1".repeat(MANY);

test.each([ZEROS, ONES, `${ZEROS}.${ONES}`, `1E${ONES}`])(
  "a long text that is nearly a number is refused",
  (text) => {
    expect(parseQuantity(`${text}!`)).toBe(QUANTITY_FORMAT_ERROR);
    expect(parseGoDuration(`${text}!`)).toBeUndefined();
    expect(durationComplaint(`${text}!`)).toMatch(/^time: /);
    expect(parseGoFloat(`${text}!`)).toBeUndefined();
  },
);

test("digits beyond what can be told are read, too", () => {
  expect(parseQuantity(ONES)).toMatchObject({ nanos: (2n ** 63n - 1n) * 10n ** 9n });
  expect(parseQuantity(`${ZEROS}1`)).toMatchObject({ nanos: 10n ** 9n });
  expect(parseQuantity(`0.${ZEROS}1`)).toMatchObject({ nanos: 1n });
  expect(parseQuantity(`1.${ZEROS}1`)).toMatchObject({ nanos: 10n ** 9n + 1n });
  expect(parseQuantity(`1e-${ONES}`)).toMatchObject({ nanos: 1n });
  expect(parseQuantity(`1e${ONES}`)).toBe("unable to parse quantity's suffix");
  expect(parseGoDuration(`${ONES}s`)).toBeUndefined();
  expect(parseGoDuration(`${ZEROS}1.${ONES}s`)).toBe(1_111_111_111n);
});
