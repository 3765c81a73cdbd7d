// Archives that are small in transfer and large when unpacked: a server with a small heap keeps running, its memory stays
// bounded, and reading stops when the client disconnects.
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { zipFile } from "../../support/zip-file.ts";
import { type BuiltServer, SMALL_HEAP_MEGABYTES, startBuiltServer } from "../built-server.ts";

const MEGABYTE = 1 << 20;
const READING_MEGABYTES = 192;
/** The heap of the server, that of the reading process, and a margin for both. */
const RSS_MEGABYTES_MAX = SMALL_HEAP_MEGABYTES + READING_MEGABYTES + 500;
const BYTES = { type: "application/octet-stream" };

let server: BuiltServer;
beforeAll(async () => {
  const flags = ["--import-memory-mb", String(READING_MEGABYTES)];
  server = await startBuiltServer(flags, { heapMegabytes: SMALL_HEAP_MEGABYTES });
});
afterAll(() => server?.[Symbol.asyncDispose]());

async function rssMegabytes(): Promise<number> {
  const status = await readFile(`/proc/${server.process.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

const post = (name: string, body: Buffer) =>
  server.send("POST", `/egret/v1/import/file?name=${name}`, body, BYTES);

/** Returns the answer, and the peak memory of the server until then. */
async function watched(name: string, body: Buffer) {
  let isDone = false;
  let peak = 0;
  const watching = (async () => {
    for (; !isDone; await delay(20)) peak = Math.max(peak, await rssMegabytes());
  })();
  const answer = await post(name, body);
  isDone = true;
  await watching;
  return { ...answer, peak };
}

const brackets = gzipSync(Buffer.alloc(MEGABYTE, "["));
const repeated = (part: Buffer, count: number) => Buffer.concat(Array.from({ length: count }, () => part));
const oneLargeObject = (count: number) =>
  Buffer.from(`{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join()}}`);
const manyKeys = (count: number) => Array.from({ length: count }, (_, index) => `k${index}: v`).join("\n");

test.each<[string, () => Buffer, number, RegExp]>([
  ["390 MB of brackets in 400 kB", () => repeated(brackets, 390), 400, /--import-ratio raises/],
  ["20 MB of brackets", () => Buffer.alloc(20 * MEGABYTE, "["), 400, /exceeded max depth/],
  ["a JSON object of 5,000,000 keys", () => oneLargeObject(5_000_000), 413, /--import-memory-mb raises/],
  [
    "a map of 5,000,000 keys",
    () => zipFile([{ path: "a.yaml", content: manyKeys(5_000_000) }]),
    413,
    /--import-memory-mb raises/,
  ],
])(
  "%s",
  async (name, body, status, message) => {
    const answer = await watched(name.replace(/\W/g, "-"), body());
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(message)]);
    expect(answer.peak).toBeLessThan(RSS_MEGABYTES_MAX);
    expect((await server.send("GET", "/readyz")).status).toBe(200);
  },
  120_000,
);

test("a reading that takes too long ends", async () => {
  const flags = ["--import-seconds", "1"];
  await using impatient = await startBuiltServer(flags, { heapMegabytes: SMALL_HEAP_MEGABYTES });
  const slow = zipFile([{ path: "a.yaml", content: "- a\n".repeat(3_000_000) }]);
  const answer = await impatient.send("POST", "/egret/v1/import/file?name=slow.zip", slow, BYTES);
  expect([answer.status, answer.text]).toEqual([504, expect.stringMatching(/--import-seconds raises/)]);
  expect((await impatient.send("GET", "/readyz")).status).toBe(200);
}, 60_000);

test("a reading whose client has gone ends, and lets the next one begin", async () => {
  const slow = zipFile([{ path: "a.yaml", content: "- a\n".repeat(3_000_000) }]);
  const gone = new AbortController();
  const sent = fetch(`${server.url}/egret/v1/import/file?name=slow.zip`, {
    ...{ method: "POST", body: slow, signal: gone.signal },
    headers: { authorization: "Bearer root", "content-type": BYTES.type },
  });
  const pod = Buffer.from("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n");
  const next = async () => (await post("next.yaml", pod)).status;
  await expect.poll(next, { timeout: 20_000 }).toBe(429);
  gone.abort();
  await sent.catch(() => undefined);
  await expect.poll(next, { timeout: 20_000 }).toBe(200);
}, 60_000);
