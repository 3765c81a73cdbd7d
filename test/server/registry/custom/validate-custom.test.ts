// A check in another thread finds what the same check here finds, in the same order.
import { afterAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { FieldError } from "../../../../src/apimachinery/meta/field-error.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import type { Workers } from "../../../../src/apimachinery/workers/job.ts";
import { WorkerPool } from "../../../../src/apimachinery/workers/worker-pool.ts";
import { definitionFromCrd, validateCustom } from "../../../../src/apiserver/registry/custom-resource.ts";
import type { ResourceView } from "../../../../src/apiserver/registry/definition/resource-definition.ts";

const pool = new WorkerPool({ threadsMax: 1 });
afterAll(async () => await pool.close());

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

function viewOf(spec: JsonObject): ResourceView {
  const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
  const definition = definitionFromCrd({
    metadata: { name: "things.x.test" },
    spec: {
      group: "x.test",
      scope: "Cluster",
      names: { plural: "things", kind: "Thing" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
    status: { acceptedNames: { plural: "things", kind: "Thing" } },
  } as unknown as KubeObject); // all that is read of it
  const [version] = definition.versions;
  return { definition, version: version! };
}

const thing = (spec: JsonObject): KubeObject =>
  ({ apiVersion: "x.test/v1", kind: "Thing", metadata: { name: "x" }, spec }) as KubeObject;

/** The findings here, there, and whether they were looked for there. */
async function both(spec: JsonObject, given: JsonObject, before?: JsonObject) {
  const view = viewOf(spec);
  let asked = 0;
  const workers: Workers = {
    of: () => workers,
    run: (job, input) => pool.run(job, input),
    runWith: (job, input, kept) => {
      asked++;
      return pool.runWith(job, input, kept);
    },
  };
  const options = { preceding: [] as FieldError[], ...(before ? { old: thing(before) } : {}) };
  const here = await validateCustom(view, thing(given), options);
  const there = await validateCustom(view, thing(given), { ...options, workers });
  return { here, there, asked };
}

const listOf = (items: JsonObject): JsonObject => ({
  type: "object",
  properties: { list: { type: "array", items } },
});
const EXCLUSIVE = {
  type: "object",
  "x-kubernetes-preserve-unknown-fields": true,
  oneOf: many(500, (index) => ({ required: [`k${index}`] })),
};

describe("what is heavy is checked elsewhere, with the same findings", () => {
  test("many alternatives for many items", async () => {
    const list = many(300, (index) => (index % 50 === 7 ? { other: 1n } : { [`k${index}`]: 1 }));
    const { here, there, asked } = await both(listOf(EXCLUSIVE), { list });
    expect(asked).toBe(1);
    expect(here).toHaveLength(12);
    expect(there).toEqual(here);
  });

  test("many patterns", async () => {
    const spec = {
      type: "object",
      properties: { text: { type: "string", anyOf: many(500, (index) => ({ pattern: `^x${index}$` })) } },
    };
    const { here, there, asked } = await both(spec, { text: "y" });
    expect(asked).toBe(1);
    expect(here.length).toBeGreaterThan(0);
    expect(there).toEqual(here);
  });

  test("rules that turn out to be dear, on a change", async () => {
    const spec = {
      type: "object",
      properties: { list: { type: "array", items: { type: "integer" } }, name: { type: "string" } },
      "x-kubernetes-validations": [
        { rule: "self.list.all(a, self.list.all(b, a + b > 0)) && self.name == oldSelf.name" },
      ],
    };
    const list = many(300, (index) => index + 1);
    const { here, there, asked } = await both(spec, { list, name: "b" }, { list, name: "a" });
    expect(asked).toBe(1);
    expect(here).toHaveLength(1);
    expect(there).toEqual(here);
  });

  test("an integer that no double holds stays one", async () => {
    const spec = listOf({ ...EXCLUSIVE, properties: { k0: { type: "integer", maximum: 1 } } });
    const { here, there } = await both(spec, { list: many(300, () => ({ k0: 9_007_199_254_740_993n })) });
    expect(here[0]?.message).toContain("9007199254740993");
    expect(there).toEqual(here);
  });
});

test("what is light is checked here", async () => {
  const { asked, there } = await both(listOf(EXCLUSIVE), { list: [{ k1: 1 }] });
  expect(there).toEqual([]);
  expect(asked).toBe(0);
});

test("a thread keeps the schemas that it was given last", async () => {
  for (let round = 0; round < 2; round++) {
    for (const max of many(10, (index) => index)) {
      const items = { ...EXCLUSIVE, properties: { k0: { type: "integer", maximum: max } } };
      const { here, there } = await both(listOf(items), { list: many(60, () => ({ k0: 5 })) });
      expect(there).toEqual(here);
    }
  }
});
