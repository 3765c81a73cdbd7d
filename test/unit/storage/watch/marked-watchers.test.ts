// Watch index: a watch with triggers receives only changes that match one of them, and no other change wakes it.
import { afterEach, beforeEach, expect, test } from "vitest";
import type { StoreFailpoint } from "../../../../src/storage/engine.ts";
import {
  prefixRange,
  type Store,
  type StoreEvent,
  type StoreWatch,
  type WatchTriggers,
} from "../../../../src/storage/store.ts";
import {
  codeOf,
  create,
  memoryPlace,
  remove,
  type StorageBackend,
  showNext,
  update,
} from "../../../contract/store-harness.ts";

const all = prefixRange("/");
/** Every letter of a value is a trigger. */
const letters: WatchTriggers["of"] = (event: StoreEvent) =>
  [event.type === "put" ? event.kv : undefined, event.prev].flatMap((kv) =>
    kv === undefined ? [] : [...Buffer.from(kv.value).toString()],
  );

let place: StorageBackend;
let store: Store;
beforeEach(async () => {
  place = await memoryPlace();
  store = await place.open({ watchUnreadChangesMax: 2 });
});
afterEach(() => place[Symbol.asyncDispose]());

const watchFor = (any: readonly string[], of = letters): StoreWatch =>
  store.watch(all, { after: store.revision, triggers: { any, of } });

test("it sees what bears a trigger, what comes to bear it and what ceases to, once each", async () => {
  const watch = watchFor(["x", "y"]);
  await store.commit([create("/1", "a")]);
  await store.commit([update("/1", "xy", 2)]);
  expect(await showNext(watch)).toEqual(["3: put /1=xy@2/3 (was /1=a@2/2)"]);
  await store.commit([create("/2", "b"), create("/3", "c")]);
  await store.commit([update("/1", "b", 3)]);
  expect(await showNext(watch)).toEqual(["5: put /1=b@2/5 (was /1=xy@2/3)"]);
  await store.commit([create("/4", "x")]);
  await store.commit([remove("/4", 6)]);
  expect(await showNext(watch)).toHaveLength(2);
});

test("what does not concern it is not left unread by it", async () => {
  const watch = watchFor(["x"]);
  const plain = store.watch(all, { after: store.revision });
  for (const key of ["/1", "/2", "/3", "/4"]) await store.commit([create(key, "a")]);
  expect(await codeOf(() => plain.next())).toBe("SLOW_CONSUMER");
  await store.commit([create("/5", "x")]);
  expect(await showNext(watch)).toEqual(["6: put /5=x@6/6 (was -)"]);
});

test("a change whose triggers cannot be told concerns all of that function", async () => {
  const watch = watchFor(["x"], () => undefined);
  const other = watchFor(["x"]);
  await store.commit([create("/1", "a")]);
  await store.commit([create("/2", "x")]);
  expect(await showNext(watch)).toHaveLength(2);
  expect(await showNext(other)).toHaveLength(1);
});

test("watches leave nothing behind", async () => {
  const watches = [watchFor(["x", "y"]), watchFor(["x"]), store.watch(all, { after: store.revision })];
  for (const watch of watches) watch.close();
  expect(store.watches.open).toBe(0);
  let asked = 0;
  const counting: WatchTriggers["of"] = (event) => {
    asked++;
    return letters(event);
  };
  watchFor(["x"], counting).close();
  await store.commit([create("/1", "x")]);
  expect(asked).toBe(0);
});

test("the triggers of a change of very many keys are read before it is published, by those who wait by then", async () => {
  let asked = 0;
  const counting: WatchTriggers["of"] = (event) => {
    asked++;
    return letters(event);
  };
  const log: unknown[] = [];
  const late: StoreWatch[] = [];
  const failpoints = (point: StoreFailpoint) => {
    if (point === "beforeWrite") {
      late.push(
        watchFor(["y"]),
        watchFor(["x"], counting),
        watchFor(["x"], () => undefined),
      );
    }
    if (point === "beforePublish" || point === "beforeAnswer") log.push([point, asked]);
  };
  store = await place.open({ failpoints, watchUnreadChangesMax: 2 });
  const [sees, seesNothing] = [watchFor(["x"], counting), watchFor(["z"], counting)];
  const unknown = watchFor(["z"], () => undefined);
  const many = Array.from({ length: 300 }, (_, index) => create(`/${index}`, index === 250 ? "xy" : "a"));
  await store.transform(() => [many]);
  expect(log).toEqual([
    ["beforePublish", 300],
    ["beforeAnswer", 300],
  ]);
  for (const watch of [sees, unknown, ...late]) expect((await watch.next())?.[0]?.events).toHaveLength(300);
  await store.commit([create("/more", "z")]);
  expect(await showNext(seesNothing)).toEqual(["3: put /more=z@3/3 (was -)"]);
});
