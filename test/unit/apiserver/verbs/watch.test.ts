import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { countTurns } from "../../../support/count-turns.ts";
import { configMap, TestApi } from "../support.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const WATCH_C = "/api/v1/watch/namespaces/default/configmaps/c";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
  await api.post(CONFIG_MAPS, configMap("b"));
  await api.post(CONFIG_MAPS, configMap("c"));
});
afterEach(() => api[Symbol.asyncDispose]());

describe("a watch of one object, by its path", () => {
  test.each([
    "",
    "?fieldSelector=metadata.name%3Dc",
    "?fieldSelector=metadata.name%3Dc,metadata.namespace%3Ddefault",
  ])("%j sees the object", async (query) => {
    const watch = await api.watch(WATCH_C + query);
    expect(await watch.names()).toEqual(["ADDED c"]);
    await watch.close();
  });

  test.each(["metadata.name%3Db", "metadata.name!%3Db", "metadata.namespace%3Ddefault"])(
    "is refused where the selector does not name it: %s",
    async (selector) => {
      const { status, text } = await api.watch(`${WATCH_C}?fieldSelector=${selector}`);
      expect(status).toBe(400);
      expect(text).toContain("fieldSelector metadata.name doesn't match requested name");
    },
  );
});

const MANY = 200;

describe("a watch that begins with many objects", () => {
  test.each([
    "application/json",
    "application/json;as=Table;g=meta.k8s.io;v=v1",
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  ])("shows all of them, and others have their turn: %s", async (accept) => {
    await Promise.all(
      Array.from({ length: MANY - 2 }, (_, index) => api.post(CONFIG_MAPS, configMap(`x${index}`))),
    );
    const { done, turns } = await countTurns(async () => {
      const watch = await api.watch(`${CONFIG_MAPS}?watch=true`, { accept });
      const events = [];
      while (events.length < MANY) events.push(...(await watch.settled()));
      await watch.close();
      return events;
    });
    expect(done).toHaveLength(MANY);
    expect(turns).toBeGreaterThan(MANY / 12); // each object takes a millisecond, and a turn at most ten
  });
});
