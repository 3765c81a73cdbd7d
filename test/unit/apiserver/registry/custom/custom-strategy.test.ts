import { describe, expect, test } from "vitest";
import {
  customStatusStrategy,
  customStrategy,
} from "../../../../../src/apiserver/registry/custom-resource.ts";
import { contextFor, object } from "../support.ts";

const context = contextFor();
const old = () => object("t", { spec: { n: 1 }, status: { ready: false } }, { labels: { a: "1" } });
const next = () => object("t", { spec: { n: 2 }, status: { ready: true }, more: 1 }, { labels: { a: "2" } });

describe("with a status subresource", () => {
  const strategy = customStrategy(true);

  test("a new object has no status", () => {
    const created = next();
    strategy.prepareForCreate?.(created, context);
    expect(created).not.toHaveProperty("status");
    expect(created).toMatchObject({ spec: { n: 2 }, more: 1 });
  });

  test("an update leaves the status alone", () => {
    const changed = next();
    strategy.prepareForUpdate?.(changed, old(), context);
    expect(changed).toMatchObject({ spec: { n: 2 }, status: { ready: false }, more: 1 });
  });

  test("an update makes no status where there was none", () => {
    const { status: _, ...without } = old();
    const changed = next();
    strategy.prepareForUpdate?.(changed, without as ReturnType<typeof old>, context);
    expect(changed).not.toHaveProperty("status");
  });
});

describe("without a status subresource", () => {
  test("status is a field like any other", () => {
    const strategy = customStrategy(false);
    const changed = next();
    strategy.prepareForCreate?.(changed, context);
    strategy.prepareForUpdate?.(changed, old(), context);
    expect(changed).toEqual(next());
    expect(strategy.resetFields).toBeUndefined();
  });
});

describe("/status", () => {
  test("takes the status and who owns which field, and nothing else", () => {
    const managedFields = [{ manager: "m" }];
    const changed = { ...next(), metadata: { ...next().metadata, managedFields } };
    customStatusStrategy.prepareForUpdate?.(changed, old(), context);
    const { metadata, ...rest } = old();
    expect(changed).toEqual({ ...rest, status: { ready: true }, metadata: { ...metadata, managedFields } });
  });

  test("removes the status", () => {
    const { status: _, ...without } = next();
    const changed = without as ReturnType<typeof next>; // it has all that an object must have
    customStatusStrategy.prepareForUpdate?.(changed, old(), context);
    expect(changed).not.toHaveProperty("status");
    expect(changed).toMatchObject({ spec: { n: 1 } });
  });

  test("does not share what it takes over", () => {
    const before = old();
    const changed = next();
    customStatusStrategy.prepareForUpdate?.(changed, before, context);
    expect(changed["spec"]).not.toBe(before["spec"]);
  });
});

test("generations are counted in all cases", () => {
  for (const strategy of [customStrategy(true), customStrategy(false), customStatusStrategy]) {
    expect(strategy.hasGeneration).toBe(true);
  }
});
