import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import {
  ENDPOINTS_PER_SLICE_MAX,
  fitEndpoints,
  type SlicePlan,
} from "../../../../../src/kube/controllers/endpointslice/plan.ts";
import { endpointKey } from "../../../../../src/kube/controllers/endpointslice/slice.ts";

const LABELS = { app: "web" };
const endpoint = (index: number): JsonObject => ({ addresses: [`10.0.${index >> 8}.${index & 255}`] });
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

let made = 0;
const slice = (indexes: readonly number[], labels: Record<string, string> = LABELS): KubeObject => ({
  metadata: { name: `s${made++}`, labels },
  endpoints: indexes.map(endpoint),
});

function place(existing: readonly KubeObject[], wanted: readonly number[]): SlicePlan {
  const endpoints = new Map(wanted.map((index) => [endpointKey(endpoint(index)), endpoint(index)]));
  return fitEndpoints({ group: { ports: [], endpoints }, existing, labels: LABELS, fresh: () => slice([]) });
}

const countOf = (object: KubeObject): number => (object["endpoints"] as unknown[]).length;

/** "create sizes; update sizes; removed". */
const shown = ({ create, update, remove }: SlicePlan): string =>
  `${create.map(countOf).join(" ")}; ${update.map(({ next }) => countOf(next)).join(" ")}; ${remove.length}`;

describe("endpoints that are to be placed", () => {
  test.each([
    ["fill new slices when there are none", [], range(0, 250), "100 100 50; ; 0"],
    ["stay where they are", [range(0, 60), range(60, 90)], range(0, 90), "; ; 0"],
    ["go to the fullest slice that takes them all", [range(0, 60), range(60, 90)], range(0, 100), "; 70; 0"],
    ["fill slices that change anyway first", [range(0, 60), range(60, 90)], [...range(1, 100)], "; 69; 0"],
    ["get a slice of their own when none takes them all", [range(0, 95)], range(0, 105), "10; ; 0"],
    ["leave no slice behind that is empty", [range(0, 5), range(5, 10)], range(5, 10), "; ; 1"],
  ])("%s", (_rule, existing, wanted, plan) => {
    expect(
      shown(
        place(
          existing.map((indexes) => slice(indexes)),
          wanted,
        ),
      ),
    ).toBe(plan);
  });

  test("bring slices in line that have other labels than the Service", () => {
    expect(shown(place([slice([1], { app: "old" }), slice([2])], [1, 2]))).toBe("; 1; 0");
  });

  test("are each in one slice in the end, none of which is too full, and then nothing is to be done", () => {
    const indexes = fc.uniqueArray(fc.nat({ max: 400 }), { maxLength: 300, size: "max" });
    fc.assert(
      fc.property(indexes, indexes, fc.integer({ min: 1, max: 100 }), (before, wanted, size) => {
        const existing: KubeObject[] = [];
        for (let at = 0; at < before.length; at += size) existing.push(slice(before.slice(at, at + size)));
        const { create, update, remove } = place(existing, wanted);
        const changed = new Map(update.map(({ old, next }) => [old, next]));
        const after = existing.filter((old) => !remove.includes(old)).map((old) => changed.get(old) ?? old);
        const all = [...after, ...create];
        const found = all.flatMap((object) => (object["endpoints"] as JsonObject[]).map(endpointKey));
        expect(found.sort()).toEqual(wanted.map((index) => endpointKey(endpoint(index))).sort());
        expect(Math.max(0, ...all.map(countOf))).toBeLessThanOrEqual(ENDPOINTS_PER_SLICE_MAX);
        expect(shown(place(all, wanted))).toBe("; ; 0");
      }),
      { numRuns: 60 },
    );
  });
});
