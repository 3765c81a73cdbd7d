// Properties of lists and watches through the API: a list plus the later changes always equals a list. Writers, watchers
// and compactions run in any order; watchers resume where they ended, or relist after a compaction.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TestApi } from "../../unit/apiserver/endpoints/support.ts";
import { Cache } from "./cache.ts";
import { runs } from "./objects.ts";
import { apply, list, open, type Step, steps, type View, view, writes } from "./things.ts";

const written = (size: number): Step => ({
  op: "write",
  together: [{ op: "put", at: { namespace: "one", name: "a" }, label: "x", color: "red", size }],
});
/** The history continues without events for the watch, and is compacted: the client has to relist. */
const CUT_OFF: [View[], Step[]] = [
  [{ collection: "/namespaces/two/things", selector: "", start: "list" }],
  [written(0), written(1), { op: "compact" }, { op: "cut" }, written(2), { op: "wait" }],
];

describe("a list at one revision and the watch from there", () => {
  test("make the list at every later revision, whatever is selected and however often it is cut off", async () => {
    let beginnings = 0;
    const property = fc.asyncProperty(
      fc.array(view, { minLength: 1, maxLength: 4 }),
      steps,
      async (views, story) => {
        await using api = await open();
        const caches = views.map((asked) => new Cache(api, asked));
        const eachCache = (act: (cache: Cache) => Promise<void>) => Promise.all(caches.map(act));
        await eachCache((cache) => cache.open());
        for (const step of story) await play(api, step, eachCache);
        await eachCache((cache) => cache.take());
        for (const [index, cache] of caches.entries()) {
          const asked = views[index];
          if (asked) expect(cache.held).toEqual((await list(api, asked)).held);
          beginnings += cache.lists - 1;
        }
        await eachCache((cache) => cache.close());
        expect(api.internalErrors).toEqual([]);
      },
    );
    await fc.assert(property, { ...runs(60), examples: [CUT_OFF] });
    expect(beginnings).toBeGreaterThan(0); // otherwise no compacted history was tested
  });

  test("can begin at any revision that is kept", async () => {
    const property = fc.asyncProperty(
      view,
      fc.array(writes, { minLength: 2, maxLength: 6 }),
      async (asked, story) => {
        await using api = await open();
        const past: Awaited<ReturnType<typeof list>>[] = [];
        for (const together of story) {
          past.push(await list(api, asked));
          await Promise.all(together.map((each) => apply(api, each)));
        }
        const { held: now } = await list(api, asked);
        for (const { held, version } of past) {
          const exact = await list(api, asked, `&resourceVersion=${version}&resourceVersionMatch=Exact`);
          expect(exact).toEqual({ held, version });
          const cache = new Cache(api, asked, exact);
          await cache.open();
          await cache.take();
          expect(cache.held).toEqual(now);
          await cache.close();
        }
      },
    );
    await fc.assert(property, runs(40));
  });
});

async function play(
  api: TestApi,
  step: Step,
  eachCache: (act: (cache: Cache) => Promise<void>) => Promise<unknown>,
): Promise<void> {
  switch (step.op) {
    case "write":
      await Promise.all(step.together.map((each) => apply(api, each)));
      break;
    case "compact":
      await api.store.compact(api.store.revision);
      break;
    case "cut":
      await eachCache((cache) => cache.cut());
      break;
    case "wait":
      await eachCache((cache) => cache.take());
      break;
    case "half an hour":
      api.clock.advance(31 * 60_000); // longer than the limit of a watch, and than the retention of history
      await eachCache((cache) => cache.cut());
  }
}
