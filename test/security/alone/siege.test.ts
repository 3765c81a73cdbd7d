// One server with a small heap survives all attacks in sequence, and answers its administrator meanwhile.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BuiltServer, SMALL_HEAP_MEGABYTES, startBuiltServer } from "../built-server.ts";
import { Administrator } from "./administrator.ts";
import { ATTACKERS, ATTACKS, prepareAttacks } from "./attacks.ts";

const ATTACK_MS_MAX = 120_000;
/** The limit of one request of the administrator, on a machine that the attackers share. */
const ANSWER_MS_MAX = 5000;

let server: BuiltServer;
beforeAll(async () => {
  server = await startBuiltServer([], { heapMegabytes: SMALL_HEAP_MEGABYTES });
  await prepareAttacks(server);
}, ATTACK_MS_MAX);
afterAll(() => server?.[Symbol.asyncDispose]());

describe.each(ATTACKERS)("the administrator is answered while $name sends", ({ token }) => {
  test.each(ATTACKS)("$name", { timeout: ATTACK_MS_MAX }, async (attack) => {
    const administrator = Administrator.begin(server);
    await attack.strike(server, token);
    const { answered, failures, longestMs } = await administrator.end();
    expect(failures).toEqual([]);
    expect(answered).toBeGreaterThan(0);
    expect(longestMs).toBeLessThan(ANSWER_MS_MAX);
  });
});

test("afterwards the server is ready, and writes", async () => {
  expect((await server.send("GET", "/readyz")).text).toBe("ok");
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "after" } };
  expect((await server.send("POST", "/api/v1/namespaces/default/configmaps", body)).status).toBe(201);
});
