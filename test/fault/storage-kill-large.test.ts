// A process is killed while it replaces the whole content of a store: afterwards the store holds one state or the other as
// a whole.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { STORE_FAILPOINTS } from "../../src/storage/engine.ts";
import { openLevelEngine } from "../../src/storage/level/level-engine.ts";
import { openMvccStore } from "../../src/storage/mvcc/mvcc-store.ts";
import { EVERY_KEY } from "../../src/storage/store.ts";
import { removeFolder, temporaryFolder } from "../contract/store-harness.ts";
import { ManualClock } from "../unit/storage/manual-clock.ts";

const WRITER = new URL("storage-transformer.ts", import.meta.url).pathname;
const KEYS = 3000;
/** One round for each: how often the failpoint is reached before the kill. */
const TIMES_AT_FAILPOINT = [2, 5];
/** A compaction starts on request, or at limits that these stores do not reach. */
const POINTS = STORE_FAILPOINTS.filter((point) => point !== "beforeCompaction");

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => removeFolder(folder));

test.each(POINTS)(
  "SIGKILL at %s leaves one exchange as a whole, and none that was answered is lost",
  async (point) => {
    for (const time of TIMES_AT_FAILPOINT) {
      const answered = await exchangeUntilKilled([point, String(time)]);
      await using store = await openMvccStore(await openLevelEngine(folder), { clock: new ManualClock() });
      const numbers = store.list(EVERY_KEY).items.map(({ key }) => Number(key.split("/")[1]));
      expect(numbers.length).toBe(KEYS);
      expect(new Set(numbers).size).toBe(1);
      expect(numbers[0]).toBeGreaterThanOrEqual(answered);
      expect(numbers[0]).toBeLessThanOrEqual(answered + 1);
      const before = store.list(EVERY_KEY, { at: store.compactedRevision }).items.length;
      expect([0, KEYS]).toContain(before);
    }
  },
);

/** Returns the number of the last acknowledged exchange. */
async function exchangeUntilKilled(at: readonly [failpoint: string, time: string]): Promise<number> {
  const writer = spawn(process.execPath, ["--import", "tsx", WRITER, folder, String(KEYS), ...at], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let told = "";
  writer.stdout.on("data", (chunk) => (told += chunk));
  const [, signal] = await once(writer, "close");
  expect(signal).toBe("SIGKILL");
  return Number(told.trim().split("\n").at(-1));
}
