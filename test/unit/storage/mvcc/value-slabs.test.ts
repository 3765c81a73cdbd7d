import { expect, test } from "vitest";
import { storedBytes } from "../../../../src/storage/mvcc/value-slabs.ts";

const SLAB_BYTES = 8 * 1024;

test("what is stored are the same bytes, whatever becomes of those that were given", () => {
  const given = Array.from({ length: 300 }, (_, index) => Buffer.alloc((index * 7) % 1024, index));
  const stored = given.map((value) => storedBytes(value));
  for (const [index, value] of given.entries()) {
    const same = Buffer.from(value);
    value.fill(0xff);
    expect(Buffer.from(stored[index] ?? [])).toEqual(same);
  }
});

test.each([0, 1, 100, 1000, 1024, 1025, 3000, 5000, 100_000])(
  "a value of %i bytes that lies in a larger buffer keeps little of it",
  (length) => {
    const stored = storedBytes(Buffer.alloc(1_000_000).subarray(17, 17 + length));
    expect(stored.byteLength).toBe(length);
    expect(stored.buffer.byteLength).toBeLessThanOrEqual(length <= 1024 ? SLAB_BYTES : length);
  },
);

test("small values share slabs that hold nothing else", () => {
  const values = Array.from({ length: 1200 }, () => storedBytes(Buffer.alloc(600)));
  const slabs = new Set(values.map(({ buffer }) => buffer));
  expect(slabs.size * SLAB_BYTES).toBeLessThan(1200 * 600 * 1.15);
});

test("a large value that has its buffer for itself stays where it is", () => {
  const value = Buffer.allocUnsafeSlow(5000);
  expect(storedBytes(value)).toBe(value);
});
