import { describe, expect, test } from "vitest";
import type { Fault } from "../../../../src/features/faults/fault.ts";
import { faultWorld, KnownConnection, requestOf, send, statusIn } from "./support.ts";

const GET = requestOf("/api/v1/namespaces/web/configmaps/a");
const CREATE = requestOf("/api/v1/namespaces/web/configmaps", {
  method: "POST",
  body: '{"metadata":{"name":"a"}}',
});
const conflict: Fault = { error: { code: 409 } };

describe("the list of faults", () => {
  test("numbers those without an id, and keeps the order", () => {
    const { faults } = faultWorld();
    faults.add({ ...conflict, id: "fault-1" });
    expect(faults.add(conflict)).toEqual({
      id: "fault-2",
      fault: conflict,
      matched: 0,
      fired: 0,
      spent: false,
    });
    expect(faults.list().map(({ id }) => id)).toEqual(["fault-1", "fault-2"]);
    expect(() => faults.add({ ...conflict, id: "fault-1" })).toThrow("there is a fault fault-1 already");
  });

  test("replaces, removes and clears", async () => {
    const { faults } = faultWorld();
    faults.put("a", conflict);
    await send(faults, GET);
    expect(faults.get("a")).toMatchObject({ fired: 1 });
    expect(faults.put("a", { error: { code: 500 } })).toMatchObject({
      fired: 0,
      fault: { error: { code: 500 } },
    });
    expect(() => faults.put("a", { ...conflict, id: "b" })).toThrow("calls itself b, not a");
    expect(faults.remove("b")).toBe(false);
    expect(faults.remove("a")).toBe(true);
    faults.add(conflict);
    faults.clear();
    expect(faults.list()).toEqual([]);
    expect((await send(faults, GET)).response?.status).toBe(200);
  });

  test("has an end", () => {
    const { faults } = faultWorld();
    for (let number = 0; number < 1000; number++) faults.add(conflict);
    expect(() => faults.add(conflict)).toThrow("there are 1000 faults");
    expect(() => faults.put("fault-1", conflict)).not.toThrow();
  });

  test("keeps what was good when a fault is refused", () => {
    const { faults } = faultWorld();
    faults.put("a", conflict);
    expect(() => faults.put("a", {})).toThrow("a fault does one of");
    expect(faults.get("a")?.fault).toEqual(conflict);
  });
});

describe("a fault strikes", () => {
  const codes = async (fault: Fault, draws?: readonly number[]): Promise<(number | undefined)[]> => {
    const { faults } = faultWorld(draws);
    faults.add(fault);
    const seen: (number | undefined)[] = [];
    for (let turn = 0; turn < 4; turn++) seen.push((await send(faults, GET)).response?.status);
    return seen;
  };

  test.each<[rule: string, fault: Fault, expected: number[]]>([
    ["always", conflict, [409, 409, 409, 409]],
    ["so many times", { ...conflict, count: 2 }, [409, 409, 200, 200]],
    ["after so many", { ...conflict, skip: 3 }, [200, 200, 200, 409]],
    ["after so many, so many times", { ...conflict, skip: 1, count: 1 }, [200, 409, 200, 200]],
  ])("%s", async (_rule, fault, expected) => {
    expect(await codes(fault)).toEqual(expected);
  });

  test("by chance", async () => {
    expect(await codes({ ...conflict, probability: 0.5 }, [0.4, 0.6, 0.5, 0.1])).toEqual([
      409, 200, 200, 409,
    ]);
  });

  test("and counts what it matched and what it struck", async () => {
    const { faults } = faultWorld();
    const { id } = faults.add({ ...conflict, match: { verb: "get" }, skip: 1, count: 1 });
    await send(faults, CREATE);
    for (let turn = 0; turn < 3; turn++) await send(faults, GET);
    expect(faults.get(id)).toMatchObject({ matched: 2, fired: 1, spent: true });
  });

  test.each(["/egret/v1/faults", "/healthz", "/livez/ping", "/readyz"])("but never %s", async (path) => {
    const { faults } = faultWorld();
    faults.add({ ...conflict, match: { path: "*" } });
    expect((await send(faults, requestOf(path))).response?.status).toBe(200);
    expect((await send(faults, requestOf("/readyzz"))).response?.status).toBe(409);
  });
});

describe("several faults", () => {
  test("stand around each other in their order", async () => {
    const { faults, clock } = faultWorld();
    faults.add({ id: "late", delay: { milliseconds: 50 } });
    faults.add({ id: "error", error: { code: 500 }, count: 1 });
    faults.add({ id: "behind", error: { code: 503 } });
    const sent = send(faults, GET);
    expect(faults.get("error")).toMatchObject({ matched: 0 });
    clock.advance(50);
    const { response, asked, cause } = await sent;
    expect([response?.status, asked.length, cause]).toEqual([500, 0, "late,error"]);
    expect(faults.get("behind")).toMatchObject({ matched: 0 });
  });

  test("do not strike any more once they are taken away", async () => {
    const { faults, clock } = faultWorld();
    faults.add({ delay: { milliseconds: 50 } });
    faults.add({ id: "error", error: { code: 500 } });
    const sent = send(faults, GET);
    faults.clear();
    clock.advance(50);
    expect((await sent).response?.status).toBe(200);
  });
});

describe("an error", () => {
  test("before: nobody is asked", async () => {
    const { faults } = faultWorld();
    faults.add({ error: { code: 429 } });
    const { response, asked } = await send(faults, CREATE);
    expect(asked).toEqual([]);
    expect(response).toMatchObject({ status: 429, headers: { "retry-after": "1" } });
    expect(statusIn(response)).toMatchObject({
      details: { retryAfterSeconds: 1 },
      reason: "TooManyRequests",
    });
  });

  test("after: it is done, and only writes are struck", async () => {
    const { faults } = faultWorld();
    faults.add({ error: { code: 504, when: "after" } });
    const { response, asked } = await send(faults, CREATE);
    expect([response?.status, asked.length]).toEqual([504, 1]);
    expect((await send(faults, GET)).response?.status).toBe(200);
  });
});

describe("a delay", () => {
  test("is drawn from its range", async () => {
    const { faults, clock } = faultWorld([0.25]);
    faults.add({ delay: { milliseconds: { min: 100, max: 200 } } });
    const sent = send(faults, GET);
    clock.advance(124);
    expect(clock.pending).toBe(1);
    clock.advance(1);
    expect((await sent).response?.status).toBe(200);
  });

  test("ends when the client goes, and nothing is done for him", async () => {
    const { faults } = faultWorld();
    faults.add({ delay: { milliseconds: 100 } });
    const connection = new KnownConnection();
    const sent = send(faults, GET, connection);
    connection.leave();
    expect(await sent).toMatchObject({ response: undefined, asked: [] });
  });
});

describe("reads", () => {
  test.each<[string, Fault, string, number | undefined]>([
    ["from the cache are stale", { staleRead: {} }, "resourceVersion=0", 99],
    ["by so many revisions", { staleRead: { revisions: 5 } }, "resourceVersion=0", 95],
    ["but show what is kept", { staleRead: { revisions: 1000 } }, "resourceVersion=0", 10],
    ["or at one revision", { staleRead: { resourceVersion: "42" } }, "resourceVersion=0", 42],
    ["or at the newest", { staleRead: { resourceVersion: "420" } }, "resourceVersion=0", 100],
    ["but not those of the present", { staleRead: {} }, "", undefined],
    ["but those too when that is wanted", { staleRead: { reads: "all" } }, "", 99],
    [
      "but never those of a certain revision",
      { staleRead: { reads: "all" } },
      "resourceVersion=50",
      undefined,
    ],
  ])("%s", async (_rule, fault, query, readAt) => {
    const { faults } = faultWorld();
    faults.add(fault);
    const { asked } = await send(faults, requestOf("/api/v1/pods", { query }));
    expect(asked[0]?.readAt).toBe(readAt);
  });

  test("that go on find their token expired", async () => {
    const { faults } = faultWorld();
    faults.add({ expireContinue: {} });
    const token = Buffer.from('{"v":"meta.k8s.io/v1","rv":7,"start":"web/a\\u0000"}').toString("base64url");
    const { response } = await send(faults, requestOf("/api/v1/pods", { query: `continue=${token}` }));
    expect(statusIn(response)).toMatchObject({
      code: 410,
      reason: "Expired",
      metadata: { continue: expect.any(String) },
    });
    expect((await send(faults, requestOf("/api/v1/pods"))).response?.status).toBe(200);
  });
});
