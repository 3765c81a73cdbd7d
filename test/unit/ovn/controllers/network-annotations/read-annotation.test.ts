import { afterEach, expect, test, vi } from "vitest";
import { readAnnotation } from "../../../../../src/cluster/cluster-subnets.ts";

const nodeWith = (annotations: Record<string, string>) => ({ metadata: { name: "n", annotations } });

afterEach(() => vi.restoreAllMocks());

test("an annotation of an object is read once, and anew of the next version", () => {
  const node = nodeWith({ a: '{"b":1}', c: "{" });
  const next = nodeWith({ a: '{"b":2}' });
  const parse = vi.spyOn(JSON, "parse");
  for (let times = 0; times < 3; times++) {
    expect(readAnnotation(node, "a")).toEqual({ b: 1 });
    expect(readAnnotation(node, "c")).toBeUndefined();
    expect(readAnnotation(node, "missing")).toBeUndefined();
  }
  expect(parse).toHaveBeenCalledTimes(2);
  expect(readAnnotation(next, "a")).toEqual({ b: 2 });
});
