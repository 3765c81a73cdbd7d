// POST /wait: validation of the body, the answer, and the answer on a timeout.
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../../src/apimachinery/meta/clock.ts";
import { waitRoute } from "../../../../src/features/waits/routes.ts";
import { Waits } from "../../../../src/features/waits/wait-for.ts";
import { ApiWorld, CONFIG_MAPS } from "../../../support/api-world.ts";
import { askerOf } from "../control-surface/ask.ts";

let world: ApiWorld;
let waits: Waits;
let ask: ReturnType<typeof askerOf>;
beforeEach(async () => {
  world = await ApiWorld.open([]);
  const { store, registry } = world;
  waits = new Waits({ store, registry, clock: systemClock });
  ask = askerOf([waitRoute(waits)]);
});
afterEach(async () => {
  waits.close();
  await world.stop();
});

const wait = (body: unknown) => ask("POST", "/wait", body);
const QUERY = { kind: "v1/ConfigMap", namespace: "a", name: "web" };

test("answers with the objects and the revision once the condition holds", async () => {
  const answer = wait({ query: QUERY, condition: "object != null", timeout: "2s" });
  const made = await world.create(CONFIG_MAPS, { name: "web", namespace: "a" });
  expect(await answer).toEqual({
    revision: Number(made.metadata.resourceVersion),
    values: { object: made },
  });
});

test("several queries go by their names, and one without a name is objects", async () => {
  const queries = { maps: { kind: "v1/ConfigMap" }, web: QUERY };
  expect(await wait({ queries, condition: "maps.size() == 0 && web == null" })).toMatchObject({
    values: { maps: [], web: null },
  });
  expect(await wait({ query: { kind: "v1/Namespace" }, condition: "objects.size() > 0" })).toMatchObject({
    values: { objects: expect.any(Array) },
  });
});

test("when the time is over it answers with a Status, and the timeline beside it", async () => {
  expect(await wait({ query: QUERY, condition: "object != null", timeout: "10ms" })).toEqual({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    reason: "Timeout",
    code: 504,
    details: {},
    message: expect.stringContaining("not so within 10 ms: object != null"),
    timeline: { start: ["object: there was none"], entries: [], leftOut: 0, condition: "false" },
  });
});

test.each([
  ["no query", { condition: "true" }, /either query or queries/],
  ["both forms", { query: QUERY, queries: { a: QUERY }, condition: "true" }, /either query or queries/],
  ["no condition", { query: QUERY }, /condition/],
  [
    "a member that there is not",
    { query: { ...QUERY, uid: "1" }, condition: "true" },
    /additional properties/,
  ],
  ["no duration", { query: QUERY, condition: "true", timeout: "soon" }, /soon is no duration/],
  ["too long a time", { query: QUERY, condition: "true", timeout: "2h" }, /longer than 10 minutes/],
])("refuses %s", async (_what, body, message) => {
  await expect(wait(body)).rejects.toMatchObject({ code: 400, message: expect.stringMatching(message) });
});

test("a server that stops says so", async () => {
  const answer = wait({ query: QUERY, condition: "object != null" });
  waits.close();
  await expect(answer).rejects.toMatchObject({ code: 503, reason: "ServiceUnavailable" });
});

test("no more than a hundred wait at a time", async () => {
  const waiting = Array.from({ length: 100 }, () => wait({ query: QUERY, condition: "object != null" }));
  await expect(wait({ query: QUERY, condition: "true" })).rejects.toMatchObject({ code: 429 });
  await world.create(CONFIG_MAPS, { name: "web", namespace: "a" });
  expect(await Promise.all(waiting)).toHaveLength(100);
  await wait({ query: QUERY, condition: "true" });
});
