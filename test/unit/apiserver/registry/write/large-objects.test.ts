// Writes yield to the event loop between their steps, both for a large write and for a small change of a large object.
import { afterEach, beforeEach, expect, test } from "vitest";
import { countTurns } from "../../../../support/count-turns.ts";
import {
  APPLY_PATCH,
  configMap,
  JSON_PATCH,
  MERGE_PATCH,
  STRATEGIC_PATCH,
  TestApi,
  THINGS,
  thing,
} from "../../endpoints/support.ts";
import { customView } from "../support.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const MUCH = "x".repeat(200_000);
/** Read, change, decode, prepare, check, compare, commit, and four steps of the tracker: a pause between two of them. */
const TURNS_MIN = 10;

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
  api.registry.set(customView().definition);
  await api.post(CONFIG_MAPS, configMap("large", { data: { much: MUCH } }));
  await api.post(CONFIG_MAPS, configMap("small", { data: { a: "1" } }));
  await api.post(THINGS, thing("large", { spec: { much: MUCH } }));
});
afterEach(() => api[Symbol.asyncDispose]());

const turnsWhile = async (work: () => Promise<void>) => (await countTurns(work)).turns;

const patched = (path: string, type: string, body: unknown) => async () => {
  const { status } = await api.send("PATCH", path, { headers: { "content-type": type }, body });
  expect(status).toBe(200);
};

test.each([
  [MERGE_PATCH, { data: { a: "2" } }],
  [STRATEGIC_PATCH, { data: { a: "2" } }],
  [JSON_PATCH, [{ op: "add", path: "/data/a", value: "2" }]],
])("a small %s of a large object", async (type, body) => {
  expect(await turnsWhile(patched(`${CONFIG_MAPS}/large`, type, body))).toBeGreaterThanOrEqual(TURNS_MIN);
  expect((await api.get(`${CONFIG_MAPS}/large`)).body["data"]).toEqual({ much: MUCH, a: "2" });
  // The commit waits once.
  expect(await turnsWhile(patched(`${CONFIG_MAPS}/small`, type, body))).toBeLessThanOrEqual(1);
});

test("an apply to a large object, which has more steps", async () => {
  const applied = thing("large", { spec: { a: "2" } });
  const turns = await turnsWhile(patched(`${THINGS}/large?fieldManager=ann`, APPLY_PATCH, applied));
  expect(turns).toBeGreaterThanOrEqual(TURNS_MIN + 5);
  expect((await api.get(`${THINGS}/large`)).body["spec"]).toEqual({ much: MUCH, a: "2" });
});

test("a large object in the place of another one", async () => {
  const replaced = async () => {
    const body = configMap("small", { data: { much: MUCH } });
    expect((await api.send("PUT", `${CONFIG_MAPS}/small`, { body })).status).toBe(200);
  };
  expect(await turnsWhile(replaced)).toBeGreaterThanOrEqual(TURNS_MIN);
});
