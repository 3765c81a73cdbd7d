// What LevelDB itself can do when every write must be on the disk before it counts.
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { Level } from "level";
import { type Limits, measure, type Sample, type Step } from "../measure.ts";

type Put = {
  readonly type: "put";
  readonly key: Buffer;
  readonly value: Buffer;
};

/** As many writers as given; those that come while the disk is busy share the next batch. */
export async function rawCommits(
  folder: string,
  writers: number,
  valueBytes: number,
  limits: Limits,
): Promise<Sample> {
  const location = await mkdtemp(join(folder, "raw-level-"));
  const db = new Level<Buffer, Buffer>(location, {
    keyEncoding: "buffer",
    valueEncoding: "buffer",
  });
  await db.open();
  try {
    const value = Buffer.alloc(valueBytes, "x");
    const write = groupCommit(db);
    const step: Step = (number) =>
      write({
        type: "put",
        key: Buffer.from(`/registry/k8s.ovn.org/egressips/bench-${number}`),
        value,
      });
    return await measure(new Array<Step>(writers).fill(step), limits);
  } finally {
    await db.close();
    await rm(location, { recursive: true, force: true });
  }
}

function groupCommit(db: Level<Buffer, Buffer>): (put: Put) => Promise<void> {
  let waiting: {
    readonly put: Put;
    resolve(): void;
    reject(error: unknown): void;
  }[] = [];
  let busy = false;
  const flush = async () => {
    busy = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        await db.batch(
          group.map(({ put }) => put),
          { sync: true },
        );
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    busy = false;
  };
  return (put) =>
    new Promise((resolve, reject) => {
      waiting.push({ put, resolve, reject });
      if (!busy) void flush();
    });
}

/** How long LevelDB alone takes to open a folder and to read every record, in ms. */
export async function rawLoad(location: string): Promise<number> {
  const start = performance.now();
  const db = new Level<Buffer, Buffer>(location, {
    keyEncoding: "buffer",
    valueEncoding: "buffer",
  });
  await db.open();
  try {
    const iterator = db.iterator({ highWaterMarkBytes: 4 * 1024 * 1024 });
    for (;;) if ((await iterator.nextv(1000)).length === 0) break;
    await iterator.close();
    return performance.now() - start;
  } finally {
    await db.close();
  }
}
