import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { Failure } from "../../../../src/ui/data/kind-table.ts";
import type { Transport } from "../../../../src/ui/data/kind-watch.ts";
import { type News, TimeSource } from "../../../../src/ui/time/source.ts";
import { HeldClock } from "../../../support/page/held-clock.ts";

type Told = Parameters<Transport["watch"]>[2];

/** A server whose answers a test says, and whose watches it speaks for. */
function started(answers: Readonly<Record<string, JsonObject | Failure>> = {}) {
  const clock = new HeldClock();
  const watches = new Map<string, { readonly query: string; readonly told: Told }>();
  const asked: string[] = [];
  const news: News[] = [];
  const source = new TimeSource({
    clock,
    pathOf: (stream) => `/${stream}`,
    newest: () => 500,
    told: (more) => news.push(more),
    get: async (path) => {
      asked.push(path);
      const answer = Object.entries(answers).find(([start]) => path.startsWith(start))?.[1] ?? {};
      return "code" in answer ? { failure: answer as Failure } : { object: answer };
    },
    watch: (path, query, told) => {
      watches.set(path, { query, told });
      return () => watches.delete(path);
    },
  });
  const pass = async (ms: number) => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    clock.advance(ms);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  source.start();
  const frame = (path: string, type: string, object: JsonObject) =>
    watches.get(path)?.told.frame(JSON.stringify({ type, object }));
  return { source, clock, watches, asked, news, pass, frame };
}

const OLDEST = { "/egret/v1/history": { oldestRevision: "40" } };
const pod = (revision: number) => ({
  metadata: { name: "web", uid: "u", resourceVersion: String(revision) },
});

describe("what the line is made of", () => {
  test("begins where the server's memory does, and tells what comes", async () => {
    const { pass, watches, frame, news, asked } = started(OLDEST);
    await pass(10);
    expect(watches.get("/pods")?.query).toContain("resourceVersion=40");
    expect(asked).toContain("/egressips?resourceVersion=40&resourceVersionMatch=Exact");
    frame("/pods", "ADDED", pod(41));
    frame("/pods", "DELETED", pod(42));
    await pass(200);
    expect(news.flatMap(({ entries }) => entries.map(({ text }) => text))).toEqual([
      "Pod web was created",
      "Pod web was deleted",
    ]);
    expect(news[0]).toMatchObject({ isAnew: true, from: 40 });
  });

  test("goes on where a watch ended, and begins anew where that is forgotten", async () => {
    const { pass, watches, frame, news } = started(OLDEST);
    await pass(10);
    frame("/pods", "ADDED", pod(77));
    watches.get("/pods")?.told.closed();
    await pass(1_000);
    expect(watches.get("/pods")?.query).toContain("resourceVersion=77");
    await pass(200);
    const before = news.length;
    watches.get("/pods")?.told.closed({ code: 410, message: "too old" });
    await pass(400);
    expect(news.slice(before).some(({ isAnew }) => isAnew)).toBe(true);
    expect(watches.get("/pods")?.query).toContain("resourceVersion=40");
  });

  test("says what may not be seen, and begins now without the history", async () => {
    const denied = { code: 403, message: "not you" };
    const { pass, watches, news } = started({ "/egret": denied, "/nodes": denied });
    await pass(10);
    await pass(200);
    expect(watches.get("/pods")?.query).toContain("resourceVersion=500");
    expect(watches.has("/nodes")).toBe(false);
    expect(news.at(-1)?.refused.get("nodes")).toBe("not you");
    expect([...(news.at(-1)?.refused.keys() ?? [])].sort()).toEqual(["history", "nodes", "requests"]);
  });

  test("says how many requests are no longer kept", async () => {
    const log = { items: [], last: 4_000, missed: 3_000 };
    const { pass, news, asked } = started({ ...OLDEST, "/egret/v1/requests": log });
    await pass(10);
    await pass(1_200);
    expect(news.at(-1)?.missed).toBeGreaterThanOrEqual(3_000);
    expect(asked).toContain("/egret/v1/requests?since=4000");
  });

  test("does nothing any more when it is stopped", async () => {
    const { source, pass, watches, clock, asked } = started(OLDEST);
    await pass(10);
    source.stop();
    const before = asked.length;
    await pass(60_000);
    expect([watches.size, clock.waiting, asked.length]).toEqual([0, 0, before]);
  });
});
