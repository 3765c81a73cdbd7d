// Faults of requests over real sockets: statuses, delays, broken connections, slow bytes, stale reads.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Server } from "../../../src/server/server.ts";
import { eventually } from "../../support/eventually.ts";
import { ask, CONFIG_MAPS, configMap, create, json, RawGet, start } from "./fault-server.ts";

let server: Server;
beforeAll(async () => {
  server = await start();
  await create(server, "kept", { a: "1" });
});
afterEach(() => server.control.faults.clear());
afterAll(() => server?.close());

const KEPT = `${CONFIG_MAPS}/kept`;
const addFault = (body: object) => ask(server, "/egret/v1/faults", { method: "POST", body });
const lastRequest = () => server.control.requests.entries().at(-1);

describe("a status", () => {
  test.each([
    [409, "Conflict", /^Operation cannot be fulfilled on configmaps "kept": the object has been modified/],
    [429, "TooManyRequests", /try again later/],
    [500, "InternalError", /^Internal error occurred: /],
    [503, "ServiceUnavailable", /unable to handle the request/],
    [504, "Timeout", /^Timeout: request did not complete/],
    [403, "Forbidden", /^configmaps "kept" is forbidden: /],
  ])("%i as a real server words it", async (code, reason, message) => {
    await addFault({ match: { resource: "configmaps", verb: "update" }, count: 1, error: { code } });
    const put = () => ask(server, KEPT, { method: "PUT", body: configMap("kept") });
    const refused = await put();
    expect(refused.status).toBe(code);
    expect(json(refused)).toMatchObject({
      kind: "Status",
      status: "Failure",
      reason,
      code,
      message: expect.stringMatching(message),
    });
    expect((await put()).status).toBe(200);
  });

  test("429 says when to come again", async () => {
    await addFault({ error: { code: 429, retryAfterSeconds: 7, message: "not now" } });
    const { headers, ...answer } = await ask(server, KEPT);
    expect(headers["retry-after"]).toBe("7");
    expect(json({ headers, ...answer })).toMatchObject({
      message: "not now",
      details: { retryAfterSeconds: 7 },
    });
  });

  test("504 before the write: nothing is written", async () => {
    await addFault({ error: { code: 504 }, count: 1 });
    expect((await create(server, "before")).status).toBe(504);
    expect((await ask(server, `${CONFIG_MAPS}/before`)).status).toBe(404);
  });

  test("504 after the write: it is written, and a second try finds it", async () => {
    await addFault({ error: { code: 504, when: "after" }, count: 1 });
    expect((await create(server, "after")).status).toBe(504);
    expect(json(await create(server, "after"))).toMatchObject({ reason: "AlreadyExists" });
  });

  test("in the form that was asked for", async () => {
    await addFault({ error: { code: 500 } });
    const { text, headers } = await ask(server, KEPT, { headers: { accept: "application/yaml" } });
    expect(headers["content-type"]).toBe("application/yaml");
    expect(text).toContain("reason: InternalError\n");
  });

  test("for curl", async () => {
    await addFault({ match: { userAgent: "curl/*" }, error: { code: 503 } });
    const { stdout } = await promisify(execFile)("curl", ["-s", "-w", "%{http_code}", server.url + KEPT]);
    expect(stdout).toMatch(/"ServiceUnavailable"[\s\S]*503$/);
    expect((await ask(server, KEPT)).status).toBe(200);
  });

  test("for paths that name no resource", async () => {
    await addFault({ match: { path: "/apis" }, error: { code: 503 } });
    expect((await ask(server, "/apis")).status).toBe(503);
    expect((await ask(server, "/api")).status).toBe(200);
  });
});

test("latency", async () => {
  await addFault({ delay: { milliseconds: 80 }, match: { verb: "get" } });
  const before = performance.now();
  await ask(server, KEPT);
  expect(performance.now() - before).toBeGreaterThanOrEqual(79);
  expect(lastRequest()?.durationMs).toBeGreaterThanOrEqual(79);
});

describe("a connection", () => {
  test("is reset", async () => {
    await addFault({ disconnect: { how: "reset" }, count: 1 });
    using get = new RawGet(server, KEPT);
    await eventually(
      () => get.error,
      (error) => error === "ECONNRESET",
    );
    expect([get.text, get.ended]).toEqual(["", false]);
    await eventually(lastRequest, (entry) => entry?.status === 0 && entry.fault !== undefined);
  });

  test("closes after the write", async () => {
    await addFault({ match: { verb: "create" }, disconnect: { how: "close", when: "after" }, count: 1 });
    expect(await create(server, "closed")).toMatchObject({ status: 0, broken: "socket hang up" });
    expect((await ask(server, `${CONFIG_MAPS}/closed`)).status).toBe(200);
  });

  test("closes in the middle of the answer", async () => {
    const whole = await ask(server, KEPT);
    await addFault({ disconnect: { how: "close", when: "midBody" }, count: 1 });
    const half = await ask(server, KEPT);
    expect(half).toMatchObject({ status: 200, broken: "aborted" });
    expect(half.headers["content-length"]).toBe(String(whole.text.length));
    expect(half.text).toBe(whole.text.slice(0, whole.text.length >> 1));
  });

  test("is reset in the middle of a list", async () => {
    await addFault({ match: { verb: "list" }, disconnect: { how: "reset", when: "midBody" }, count: 1 });
    using get = new RawGet(server, CONFIG_MAPS);
    await eventually(
      () => get.ended || get.error === "ECONNRESET", // what comes with the data passes for an end
      (broken) => broken,
    );
    expect(get.text).toContain('"kind":"ConfigMapList"');
    expect(get.text).not.toContain("]}\n");
  });

  test("is half closed: nothing more comes, and it is open still", async () => {
    await addFault({ id: "half", disconnect: { how: "halfClose", when: "midBody" }, count: 1 });
    using get = new RawGet(server, KEPT);
    await eventually(
      () => get.ended,
      (ended) => ended,
    );
    expect(get.text).toContain('"kind":"ConfigMap"');
    expect(get.closed).toBe(false);
    expect(lastRequest()).not.toMatchObject({ fault: "half" }); // the request goes on
    get.socket.destroy();
    await eventually(lastRequest, (entry) => entry?.fault === "half");
  });

  test("hangs until the client has had enough", async () => {
    await addFault({ id: "hangs", disconnect: { how: "hang" }, count: 1 });
    using get = new RawGet(server, KEPT);
    await eventually(
      () => server.control.faults.get("hangs")?.fired,
      (fired) => fired === 1,
    );
    expect([get.text, get.ended]).toEqual(["", false]);
    get.socket.destroy();
    await eventually(lastRequest, (entry) => entry?.fault === "hangs" && entry.status === 0);
  });
});

test("slow bytes", async () => {
  const { length } = (await ask(server, KEPT)).text;
  await addFault({ slow: { bytesPerSecond: length * 10 }, count: 1 });
  const before = performance.now();
  expect((await ask(server, KEPT)).text).toHaveLength(length);
  expect(performance.now() - before).toBeGreaterThanOrEqual(95);
});

describe("a stale read", () => {
  const dataAt = async (query: string) => json(await ask(server, `${CONFIG_MAPS}/stale${query}`)).data;
  const listAt = async (query: string): Promise<string[]> =>
    json(await ask(server, `${CONFIG_MAPS}${query}`)).items.map(
      ({ metadata }: { metadata: { name: string } }) => metadata.name,
    );

  test("shows an object and lists as they were, to those who read from the cache", async () => {
    await create(server, "stale", { at: "1" });
    const changed = json(
      await ask(server, `${CONFIG_MAPS}/stale`, { method: "PATCH", body: { data: { at: "2" } } }),
    );
    await create(server, "newest");
    await addFault({ staleRead: { revisions: 2 } });
    expect(await dataAt("?resourceVersion=0")).toEqual({ at: "1" });
    expect(await dataAt("")).toEqual({ at: "2" });
    expect(await listAt("?resourceVersion=0&limit=1")).not.toContain("newest");
    expect(await listAt("")).toContain("newest");
    server.control.faults.clear();
    await addFault({ staleRead: { resourceVersion: changed.metadata.resourceVersion, reads: "all" } });
    expect(await dataAt("")).toEqual({ at: "2" });
    expect(await listAt("")).not.toContain("newest");
    expect((await ask(server, `${CONFIG_MAPS}/newest`)).status).toBe(404);
  });
});

test("a continue token that has expired lets the list go on in the present", async () => {
  const first = json(await ask(server, `${CONFIG_MAPS}?limit=1`));
  const next = (token: string) => `${CONFIG_MAPS}?limit=500&continue=${encodeURIComponent(token)}`;
  await addFault({ expireContinue: {}, count: 1 });
  const expired = json(await ask(server, next(first.metadata.continue)));
  expect(expired).toMatchObject({ code: 410, reason: "Expired" });
  const rest = await ask(server, next(expired.metadata.continue));
  expect(rest.status).toBe(200);
  expect(json(rest).items).not.toHaveLength(0);
});

describe("time and chance", () => {
  test("on a frozen clock a delay ends when time passes", async () => {
    const frozen = await start({ clock: "frozen" });
    const { clock, faults } = frozen.control;
    faults.add({ id: "late", match: { verb: "list" }, delay: { milliseconds: 60_000 } });
    let answered = false;
    const asked = ask(frozen, CONFIG_MAPS).then((answer) => {
      answered = true;
      return answer;
    });
    await eventually(
      () => faults.get("late")?.fired,
      (fired) => fired === 1,
    );
    await clock.advance(59_999);
    expect(answered).toBe(false);
    await clock.advance(1);
    expect((await asked).status).toBe(200);
    expect(frozen.control.requests.entries().at(-1)?.durationMs).toBe(60_000);
    await frozen.close();
  });

  test("a seed repeats what strikes", async () => {
    const run = async (seed: string): Promise<string> => {
      await using other = await start({ seed }).then((started) => ({
        ...started,
        [Symbol.asyncDispose]: () => started.close(),
      }));
      other.control.faults.add({ probability: 0.5, error: { code: 500 } });
      const statuses: number[] = [];
      for (let turn = 0; turn < 30; turn++) statuses.push((await ask(other, CONFIG_MAPS)).status);
      return statuses.join();
    };
    const first = await run("a");
    expect(first).toContain("200,500");
    expect(await run("a")).toBe(first);
    expect(await run("b")).not.toBe(first);
  });
});

test("the server stops although a request hangs and another one waits", async () => {
  const other = await start();
  other.control.faults.add({ match: { verb: "get" }, disconnect: { how: "hang" } });
  other.control.faults.add({ match: { verb: "list" }, delay: { milliseconds: 60_000 } });
  const asked = [ask(other, `${CONFIG_MAPS}/a`), ask(other, CONFIG_MAPS)];
  await eventually(
    () => other.control.faults.list().map(({ fired }) => fired),
    (fired) => fired.join() === "1,1",
  );
  await other.close();
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([0, 0]);
});
