// A process that writes is killed at any moment; whatever it had acknowledged must be there when the store opens again.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openLevelEngine } from "../../src/storage/level/level-engine.ts";
import { openMvccStore } from "../../src/storage/mvcc/mvcc-store.ts";
import { prefixRange } from "../../src/storage/store.ts";
import { codeOf, removeFolder, temporaryFolder } from "../contract/store-harness.ts";
import { ManualClock } from "../unit/storage/manual-clock.ts";

const WRITER = new URL("storage-writer.ts", import.meta.url).pathname;
/** One round for each: how many acknowledged lines to wait for. */
const LINES_BEFORE_KILL = [1, 300, 3000];

let folder: string;
let child: ChildProcess | undefined;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  child?.kill("SIGKILL");
  await removeFolder(folder);
});

test("every acknowledged write is there after SIGKILL, again and again in one folder", async () => {
  const acknowledged: [revision: number, key: string][] = [];
  for (const lines of LINES_BEFORE_KILL) {
    acknowledged.push(...(await writeUntilKilled(lines)));
    const store = await openMvccStore(await openLevelEngine(folder), { clock: new ManualClock() });
    for (const [revision, key] of acknowledged) {
      const kv = store.get(key);
      expect([kv?.modRevision, kv && Buffer.from(kv.value).toString()]).toEqual([revision, key]);
    }
    // What was not acknowledged may be there too, but never half of a commit.
    const objects = store.list(prefixRange("/")).items.filter(({ key }) => !key.startsWith("/counter/"));
    expect(objects.length).toBe(2 * new Set(objects.map(({ modRevision }) => modRevision)).size);
    const kept = await store.watch(prefixRange("/"), { after: store.compactedRevision }).next();
    expect(kept?.length).toBe(store.revision - store.compactedRevision);
    await store[Symbol.asyncDispose]();
  }
  expect(acknowledged.length).toBeGreaterThan(3300);
});

test("a folder that another process holds is LOCKED", async () => {
  let code: unknown;
  await writeUntilKilled(1, async () => {
    code = await codeOf(() => openLevelEngine(folder));
  });
  expect(code).toBe("LOCKED");
});

async function writeUntilKilled(lines: number, beforeKill = async () => {}): Promise<[number, string][]> {
  const writer = spawn(process.execPath, ["--import", "tsx", WRITER, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  child = writer;
  const ended = once(writer, "close");
  const acknowledged: [number, string][] = [];
  for await (const line of createInterface({ input: writer.stdout })) {
    const [, revision = "", key = ""] = /^(\d+) (\/.*)$/.exec(line) ?? [];
    if (key !== "") acknowledged.push([Number(revision), key]);
    if (acknowledged.length === lines) {
      await beforeKill();
      writer.kill("SIGKILL");
    }
  }
  await ended;
  return acknowledged;
}
