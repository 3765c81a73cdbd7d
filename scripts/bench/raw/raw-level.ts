// The raw write rate of LevelDB when every write must be synced to the disk.
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { Level } from "level";
import { type Limits, measure, type Sample, type Step } from "../measure.ts";

type Put = {
  readonly type: "put";
  readonly key: Buffer;
  readonly value: Buffer;
};

/** A LevelDB in a folder of its own, which is removed with it. */
export class RawLevel implements AsyncDisposable {
  /** Resolves when the value is on the disk. Writes during a sync share the next batch. */
  readonly put: (number: number, value: Buffer) => Promise<void>;
  readonly #location: string;
  readonly #db: Level<Buffer, Buffer>;

  private constructor(location: string, db: Level<Buffer, Buffer>) {
    this.#location = location;
    this.#db = db;
    const write = groupCommit(db);
    this.put = (number, value) =>
      write({ type: "put", key: Buffer.from(`/registry/k8s.ovn.org/egressips/bench-${number}`), value });
  }

  static async open(folder: string): Promise<RawLevel> {
    const location = await mkdtemp(join(folder, "raw-level-"));
    const db = new Level<Buffer, Buffer>(location, { keyEncoding: "buffer", valueEncoding: "buffer" });
    await db.open();
    return new RawLevel(location, db);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#db.close();
    await rm(this.#location, { recursive: true, force: true });
  }
}

/** The given number of writers, each with one write after the other. */
export async function rawCommits(
  folder: string,
  writers: number,
  valueBytes: number,
  limits: Limits,
): Promise<Sample> {
  await using level = await RawLevel.open(folder);
  const value = Buffer.alloc(valueBytes, "x");
  const step: Step = (number) => level.put(number, value);
  return await measure(new Array<Step>(writers).fill(step), limits);
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

/** The time in ms in which LevelDB alone opens a folder and reads every record. */
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
