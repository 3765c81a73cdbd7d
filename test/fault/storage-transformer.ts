// Replaces all keys of a store by others, again and again, until it is killed, and prints the acknowledged exchanges:
// "number" per line. Started by the tests as: node --import tsx storage-transformer.ts FOLDER COUNT FAILPOINT TIME; it
// kills itself when it reaches that failpoint for the TIME-th time.
import { writeSync } from "node:fs";
import { systemClock } from "../../src/apimachinery/meta/clock.ts";
import { openLevelEngine } from "../../src/storage/level/level-engine.ts";
import { openMvccStore } from "../../src/storage/mvcc/mvcc-store.ts";
import { EVERY_KEY, type TxnOp } from "../../src/storage/store.ts";

const STANDARD_OUTPUT = 1;

const [folder = "", count, failpoint, time] = process.argv.slice(2);
let passed = 0;
const store = await openMvccStore(await openLevelEngine(folder), {
  clock: systemClock,
  failpoints: (point) => {
    if (point !== failpoint || ++passed !== Number(time)) return;
    // Not at once, so that the operation begun there progresses first.
    setImmediate(() => process.kill(process.pid, "SIGKILL"));
  },
});
const [first] = store.list(EVERY_KEY, { limit: 1 }).items;
for (let number = Number(first?.key.split("/")[1] ?? 0) + 1; ; number++) {
  const commits = () => [removeAll(), createAll(number)].filter((ops) => ops.length > 0);
  await store.transform(commits, { forgetPast: number % 2 === 0 });
  writeSync(STANDARD_OUTPUT, `${number}\n`);
}

function removeAll(): TxnOp[] {
  const { items } = store.list(EVERY_KEY);
  return items.map(({ key, modRevision }) => ({ type: "delete", key, ifModRevision: modRevision }));
}

function createAll(number: number): TxnOp[] {
  return Array.from({ length: Number(count) }, (_, index) => {
    const key = `/${number}/${index}`;
    return { type: "create", key, value: Buffer.from(key.repeat(20)) };
  });
}
