// A writing process is killed at any moment; every acknowledged write must be stored when the store opens again.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { STORE_FAILPOINTS } from "../../src/storage/engine.ts";
import { openLevelEngine } from "../../src/storage/level/level-engine.ts";
import { openMvccStore } from "../../src/storage/mvcc/mvcc-store.ts";
import { prefixRange } from "../../src/storage/store.ts";
import { codeOf, removeFolder, temporaryFolder } from "../contract/store-harness.ts";
import { ManualClock } from "../unit/storage/manual-clock.ts";

const WRITER = new URL("storage-writer.ts", import.meta.url).pathname;
/** One round for each: how many acknowledged lines to wait for. */
const LINES_BEFORE_KILL = [1, 300, 3000];
/** One round for each: how often the failpoint is reached before the kill. */
const TIMES_AT_FAILPOINT = [1, 5];

type Acknowledged = [revision: number, key: string][];

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
  const acknowledged: Acknowledged = [];
  for (const lines of LINES_BEFORE_KILL) {
    acknowledged.push(...(await writeUntilKilled({ lines })));
    await expectAll(acknowledged);
  }
  expect(acknowledged.length).toBeGreaterThan(3300);
});

test.each(STORE_FAILPOINTS)("every acknowledged write is there after SIGKILL at %s", async (point) => {
  const acknowledged: Acknowledged = [];
  for (const time of TIMES_AT_FAILPOINT) {
    acknowledged.push(...(await writeUntilKilled({ at: [point, String(time)] })));
    await expectAll(acknowledged);
  }
  expect(acknowledged.length).toBeGreaterThan(0);
});

test("a folder that another process holds is LOCKED", async () => {
  let code: unknown;
  await writeUntilKilled({
    lines: 1,
    beforeKill: async () => {
      code = await codeOf(() => openLevelEngine(folder));
    },
  });
  expect(code).toBe("LOCKED");
});

/** All are stored, unacknowledged writes are stored as a whole or not at all, and the history has no gap. */
async function expectAll(acknowledged: Acknowledged): Promise<void> {
  await using store = await openMvccStore(await openLevelEngine(folder), { clock: new ManualClock() });
  for (const [revision, key] of acknowledged) {
    const kv = store.get(key);
    expect([kv?.modRevision, kv && Buffer.from(kv.value).toString()]).toEqual([revision, key]);
  }
  const objects = store.list(prefixRange("/")).items.filter(({ key }) => !key.startsWith("/counter/"));
  expect(objects.length).toBe(2 * new Set(objects.map(({ modRevision }) => modRevision)).size);
  if (store.revision === store.compactedRevision) return;
  const kept = await store.watch(prefixRange("/"), { after: store.compactedRevision }).next();
  expect(kept?.length).toBe(store.revision - store.compactedRevision);
}

interface Ending {
  /** The process is killed after so many lines. */
  readonly lines?: number;
  readonly beforeKill?: () => Promise<void>;
  /** The process kills itself at this failpoint. */
  readonly at?: readonly [failpoint: string, time: string];
}

async function writeUntilKilled({ lines, beforeKill, at = ["", ""] }: Ending): Promise<Acknowledged> {
  const writer = spawn(process.execPath, ["--import", "tsx", WRITER, folder, ...at], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  child = writer;
  const ended = once(writer, "close");
  const acknowledged: Acknowledged = [];
  for await (const line of createInterface({ input: writer.stdout })) {
    const [, revision = "", key = ""] = /^(\d+) (\/.*)$/.exec(line) ?? [];
    if (key !== "") acknowledged.push([Number(revision), key]);
    if (acknowledged.length === lines) {
      await beforeKill?.();
      writer.kill("SIGKILL");
    }
  }
  const [, signal] = await ended;
  expect(signal).toBe("SIGKILL");
  return acknowledged;
}
