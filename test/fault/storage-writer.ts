// Writes to a store until it is killed, and prints the acknowledged writes: "revision key" per line. Started by the tests
// as: node --import tsx storage-writer.ts FOLDER [FAILPOINT TIME], with which it kills itself when it reaches that
// failpoint for the TIME-th time.
import { writeSync } from "node:fs";
import { systemClock } from "../../src/apimachinery/meta/clock.ts";
import { openLevelEngine } from "../../src/storage/level/level-engine.ts";
import { openMvccStore } from "../../src/storage/mvcc/mvcc-store.ts";

const WRITERS = 8;
const STANDARD_OUTPUT = 1;

const [folder = "", failpoint, time] = process.argv.slice(2);
let passed = 0;
const store = await openMvccStore(await openLevelEngine(folder), {
  clock: systemClock,
  history: { revisionsMax: 200 }, // compacts continuously
  failpoints: (point) => {
    if (point === failpoint && ++passed === Number(time)) process.kill(process.pid, "SIGKILL");
  },
});
const start = store.revision;
await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));

async function write(writer: number): Promise<void> {
  for (let number = 0; ; number++) {
    const keys = ["a", "b"].map((part) => `/${start}/${writer}/${number}/${part}`);
    const revision = await store.commit(
      keys.map((key) => ({ type: "create", key, value: Buffer.from(key) })),
    );
    // Written synchronously as a whole, so that every line that the test reads was acknowledged before the kill.
    writeSync(STANDARD_OUTPUT, keys.map((key) => `${revision} ${key}\n`).join(""));
    const counter = store.get(`/counter/${writer}`);
    const value = Buffer.from(`${revision}`);
    const op =
      counter === undefined
        ? ({ type: "create", key: `/counter/${writer}`, value } as const)
        : ({ type: "update", key: counter.key, value, ifModRevision: counter.modRevision } as const);
    await store.commit([op]);
  }
}
