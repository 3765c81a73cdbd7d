// Anonymous requests with URLs and headers of nearly a mebibyte each: the server retains only a short part of a request,
// so that a small heap survives any number of them.
import { Agent, request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BuiltServer, SMALL_HEAP_MEGABYTES, startBuiltServer } from "../built-server.ts";

const KILOBYTES = 980;
/** More than the heap can hold if each URL were retained. */
const REQUESTS = 440;
const AT_ONCE = 8;

let server: BuiltServer;
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
beforeAll(async () => {
  server = await startBuiltServer([], { heapMegabytes: SMALL_HEAP_MEGABYTES });
});
afterAll(async () => {
  agent.destroy();
  await server?.[Symbol.asyncDispose]();
});

const filling = (index: number) => `${index}-`.padEnd(KILOBYTES * 1000, "x");

function get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(server.url + path, { agent, headers }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode ?? 0));
    });
    sent.on("error", reject).end();
  });
}

/** Sends them a few at a time, so that this process does not hold them all either. */
async function send(one: (index: number) => Promise<number>): Promise<Set<number>> {
  const statuses = new Set<number>();
  for (let from = 0; from < REQUESTS; from += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, (_, index) => one(from + index));
    for (const status of await Promise.all(batch)) statuses.add(status);
  }
  return statuses;
}

async function expectWell(): Promise<void> {
  expect((await server.send("GET", "/readyz")).text).toBe("ok");
}

test("a query, a name and a user agent of 980 kB", async () => {
  const path = "/api/v1/namespaces/default/configmaps";
  const forms = [
    (text: string) => get(`${path}?${text}`),
    (text: string) => get(`${path}/${text}`),
    (text: string) => get(path, { "user-agent": text }),
  ];
  const one = async (index: number) => (await forms[index % forms.length]?.(filling(index))) ?? 0;
  expect(await send(one)).toEqual(new Set([403]));
  await expectWell();
});
