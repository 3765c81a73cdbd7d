// Watches with selectors of a hundred thousand terms: a user with the right to watch one kind must not exhaust the memory
// of the server, nor prevent an administrator from watching.
import { type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BuiltServer, SMALL_HEAP_MEGABYTES, startBuiltServer, type Token } from "../built-server.ts";

const WATCHES = 104;
const TERMS = 100_000;
const CONFIG_MAPS = "/api/v1/configmaps";

let server: BuiltServer;
beforeAll(async () => {
  server = await startBuiltServer([], { heapMegabytes: SMALL_HEAP_MEGABYTES });
  await server.grant([{ apiGroups: [""], resources: ["configmaps"], verbs: ["list", "watch", "create"] }]);
});
afterAll(() => server?.[Symbol.asyncDispose]());

const selector = (seed: number) =>
  Array.from({ length: TERMS }, (_, index) => `!${seed}k${index.toString(36)}`).join(",");

/** Returns the answer without reading its body. */
function watch(labelSelector: string, token: Token): Promise<IncomingMessage> {
  const path = `${CONFIG_MAPS}?watch=1&resourceVersion=0&labelSelector=${labelSelector}`;
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    request(server.url + path, { headers, agent: false }, resolve)
      .on("error", reject)
      .end();
  });
}

async function text(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test("are bounded for each user, and administrators have their own share", { timeout: 120_000 }, async () => {
  const statuses = new Map<number | undefined, number>();
  const open: IncomingMessage[] = [];
  let refusal = "";
  for (let seed = 0; seed < WATCHES; seed++) {
    const answer = await watch(selector(seed), "low");
    statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1);
    if (answer.statusCode === 200) open.push(answer);
    else {
      refusal = await text(answer);
      expect([answer.headers["retry-after"], refusal]).toEqual(["1", expect.anything()]);
    }
  }
  expect([...statuses.keys()].sort()).toEqual([200, 429]);
  expect(JSON.parse(refusal)).toMatchObject({ reason: "TooManyRequests", code: 429 });
  expect(open.length).toBeGreaterThan(1);

  const admin = await watch(selector(0), "root");
  expect(admin.statusCode).toBe(200);
  admin.destroy();
  // The watch's end releases the counted memory, and short selectors are not counted.
  expect((await watch("!a", "low")).statusCode).toBe(200);
  for (const answer of open) answer.destroy();
  await expect.poll(async () => (await watch(selector(1), "low")).statusCode, { timeout: 10_000 }).toBe(200);
});

test("of lists are bounded as well", { timeout: 60_000 }, async () => {
  const path = `${CONFIG_MAPS}?labelSelector=${selector(1)}`;
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => server.send("GET", path, undefined, { token: "low" })),
  );
  const statuses = new Set(answers.map(({ status }) => status));
  expect(statuses).toContain(429);
  for (const status of statuses) expect([200, 429]).toContain(status);
  await expect
    .poll(async () => (await server.send("GET", path, undefined, { token: "low" })).status, {
      timeout: 10_000,
    })
    .toBe(200);
});
