import { expect, test } from "vitest";
import { durationMs } from "../../../../src/apimachinery/go/duration.ts";

test.each<[string, number | undefined]>([
  ["0", 0],
  ["+0", 0],
  ["-0", 0],
  ["0s", 0],
  ["5s", 5000],
  ["1m30s", 90_000],
  ["1.5h", 5_400_000],
  [".5s", 500],
  ["1.s", 1000],
  ["250ms", 250],
  ["1us", 0.001],
  ["1µs", 0.001],
  ["1ns", 0.000_001],
  ["-2s", -2000],
  ["+2s", 2000],
  ["1h2m3s4ms", 3_723_004],
  ["5", undefined],
  ["", undefined],
  ["s", undefined],
  ["5 s", undefined],
  ["5S", undefined],
  ["5d", undefined],
  [".s", undefined],
  ["1s-1s", undefined],
  ["abc", undefined],
  ["2562047h47m16.854775807s", 9_223_372_036_854.775],
  ["2562047h47m16.854775808s", undefined],
  ["-2562047h47m16.854775808s", -9_223_372_036_854.775],
])("%j is %s milliseconds", (text, milliseconds) => {
  const found = durationMs(text);
  if (milliseconds === undefined) expect(found).toBeUndefined();
  else expect(found).toBeCloseTo(milliseconds, 9);
});
