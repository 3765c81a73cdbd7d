// Bounds of the attempts of one create.
import { afterEach, beforeEach, expect, test } from "vitest";
import { createIds } from "../../../../../src/apimachinery/meta/ids.ts";
import type {
  ResourceView,
  Strategy,
} from "../../../../../src/apiserver/registry/definition/resource-definition.ts";
import { configMap, TestApi } from "../../endpoints/support.ts";
import { builtInView, contextFor, decoded, refusalOf } from "../support.ts";

const plain = builtInView("configmaps");
const VALUE = Buffer.from("taken");

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
});
afterEach(() => api[Symbol.asyncDispose]());

const viewWith = (strategy: Strategy): ResourceView => ({
  definition: { ...plain.definition, strategy },
  version: { ...plain.version, strategy },
});

const createWith = (strategy: Strategy, metadata: { name: string } | { generateName: string }) =>
  api.resources.create({
    view: viewWith(strategy),
    namespace: "default",
    decoded: decoded(configMap("", {}, metadata)),
    context: contextFor({ ids: { ...createIds(), nameSuffix: () => "bcdfg" } }),
  });

/** A concurrent write takes the key of each of the first `times` attempts. */
function losing(times: number) {
  const counted = { attempts: 0 };
  const strategy: Strategy = {
    claim(_object, _old, allocations) {
      const key = `/registry/ranges/keys/${++counted.attempts}`;
      allocations.take(key, VALUE);
      if (counted.attempts <= times) void api.store.commit([{ type: "create", key, value: VALUE }]);
    },
  };
  return { counted, strategy };
}

test("200 lost allocations end in 500, and the name is free", async () => {
  const { counted, strategy } = losing(Number.POSITIVE_INFINITY);
  expect(await refusalOf(createWith(strategy, { name: "c" }))).toBe(
    "500 Internal error occurred: failed to allocate for configmaps: concurrent writes took the values of 200 attempts",
  );
  expect(counted.attempts).toBe(200);
  expect(() => api.resources.get({ view: plain, namespace: "default", name: "c" })).toThrow("not found");
});

test("199 lost allocations are repaired by the last attempt", async () => {
  const { counted, strategy } = losing(199);
  await createWith(strategy, { name: "c" });
  expect(counted.attempts).toBe(200);
});

test("8 taken generated names end in 409", async () => {
  let attempts = 0;
  const counting: Strategy = {
    prepareForCreate: () => {
      attempts++;
    },
  };
  await createWith({}, { name: "c-bcdfg" });
  expect(await refusalOf(createWith(counting, { generateName: "c-" }))).toBe(
    '409 configmaps "c-bcdfg" already exists, the server was not able to generate a unique name for the object',
  );
  expect(attempts).toBe(8);
});

test("a taken name of the request ends in 409 at once, lost allocations do not count as taken names", async () => {
  await createWith({}, { name: "c-bcdfg" });
  const once = losing(0);
  expect(await refusalOf(createWith(once.strategy, { name: "c-bcdfg" }))).toBe(
    '409 configmaps "c-bcdfg" already exists',
  );
  expect(once.counted.attempts).toBe(1);
  const late = losing(20);
  await createWith(late.strategy, { generateName: "d-" });
  expect(late.counted.attempts).toBe(21);
});
