// A server under churn with many watchers, half of them slow or disconnecting, for EGRET_SOAK_SECONDS. Memory, files and
// the write rate stay constant once compaction keeps pace with the writes, limits hold, and metrics show them.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startEgret } from "../support/egret-process.ts";
import { eventually } from "../support/eventually.ts";
import { Random } from "../support/random.ts";
import { advanceOf, growthOf, type SoakSample, takeSample } from "./soak/samples.ts";
import { dawdle, SOAKED, Watcher, type WatchFacts } from "./soak/watchers.ts";
import { churn, type WriteFacts } from "./soak/writers.ts";

const SECONDS = Number(process.env["EGRET_SOAK_SECONDS"] ?? 60);
const SEED = Number(process.env["EGRET_SOAK_SEED"] ?? Date.now() % 1_000_000);
const READERS = 100;
const SLOW = 25;
const STUCK = 25;
const VANISHING = 50;
const WRITERS = 16;
const WRITES_PER_SECOND = 400;
const INFLIGHT_MAX = 6;
/** Short, so that compaction keeps pace from the first third on. */
const RETAIN_SECONDS = 5;
/** A server that keeps compacted revisions exceeds this heap within the run. */
const HEAP_MEGABYTES_MAX = 256;
const SAMPLE_MS = 500;
/** Other processes may slow down a third of a short run. */
const SLOWED_MAX = 0.75;
/** A slow watcher that leaves so many events unread is terminated. */
const CUT_OFF_EVENTS = 25_000;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-soak-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function revision(url: string): Promise<number> {
  const { metadata } = (await (await fetch(`${url}${SOAKED}?limit=1`)).json()) as {
    metadata: { resourceVersion: string };
  };
  return Number(metadata.resourceVersion);
}

test(`${SECONDS} s of churn leave no trace (seed ${SEED})`, { timeout: (SECONDS + 60) * 1000 }, async () => {
  const random = new Random(SEED);
  const data = join(folder, "data");
  const limits = ["--max-mutating-requests-inflight", `${INFLIGHT_MAX}`, "--retain", `${RETAIN_SECONDS}s`];
  // With a ready file the greeting is printed after the start, when the server's own initial watches have ended.
  const ready = ["--ready-file", join(folder, "ready")];
  const flags = ["--data-dir", data, "--kubeconfig", "", "--controllers", "", ...ready, ...limits];
  const env = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MEGABYTES_MAX}` };
  await using egret = await startEgret(flags, { env });
  const { url } = egret;

  await revision(url); // with its first request the server starts its informer of FlowSchemas
  const before = await takeSample(url, data);
  const watched: WatchFacts = { events: 0, complaints: [], ended: 0, broken: 0, expired: 0 };
  const slowly: WatchFacts = { events: 0, complaints: [], ended: 0, broken: 0, expired: 0 };
  const written: WriteFacts = { answered: 0, refused: 0, complaints: [] };
  const watchers = (count: number, facts: WatchFacts) =>
    Array.from({ length: count }, () => new Watcher(url, facts, () => revision(url)));
  const readers = watchers(READERS, watched);
  const slow = watchers(SLOW, slowly);
  const stuck = watchers(STUCK, slowly);
  const vanishing = watchers(VANISHING, slowly);
  const all = [...readers, ...slow, ...stuck, ...vanishing];
  await Promise.all(all.map((watcher) => watcher.start()));
  for (const watcher of stuck) watcher.pause();

  const samples: SoakSample[] = [];
  const answered: number[] = [];
  const writing = churn(
    {
      url,
      random,
      writers: WRITERS,
      perSecond: WRITES_PER_SECOND,
      until: AbortSignal.timeout(SECONDS * 1000),
    },
    written,
  );
  const over = performance.now() + SECONDS * 1000;
  while (performance.now() < over) {
    await sleep(SAMPLE_MS);
    for (const watcher of slow) dawdle(watcher, random);
    vanishing[random.below(VANISHING)]?.vanish();
    samples.push(await takeSample(url, data));
    answered.push(written.answered);
  }
  await writing;

  const growths = [
    { what: "heapBytes", factor: 1.25, spareBytes: 8e6 },
    { what: "residentBytes", factor: 1.25, spareBytes: 32e6 },
    { what: "folderBytes", factor: 1.5, spareBytes: 8e6 },
  ] as const;
  const writes = advanceOf(answered);
  const grown = growths.map((each) => ({ ...each, ...growthOf(samples, each.what) }));
  if (process.env["EGRET_SOAK_SECONDS"])
    process.stdout.write(`${JSON.stringify({ written, writes, watched, slowly, grown })}\n`);

  const last = await revision(url);
  await eventually(
    () => Math.min(...readers.map((reader) => reader.last)),
    (seen) => seen === last,
  );
  expect([watched.complaints, slowly.complaints, written.complaints]).toEqual([[], [], []]);
  expect({ broken: watched.broken, expired: watched.expired }).toEqual({ broken: 0, expired: 0 });
  expect(written.refused).toBeGreaterThan(0);
  for (const watcher of all) watcher.close();
  await eventually(
    async () => (await takeSample(url, data)).watches,
    (open) => open === before.watches,
  );

  const after = await takeSample(url, data);
  expect(after.requestsRefused).toBe(written.refused);
  if (watched.events / READERS > CUT_OFF_EVENTS) expect(after.watchesDropped).toBeGreaterThan(0);
  expect(writes.after, `writes after ${writes.before} before`).toBeGreaterThan(writes.before * SLOWED_MAX);
  for (const { what, factor, spareBytes, before: earlier, after: later } of grown)
    expect(later, `${what} after ${earlier} before`).toBeLessThan(earlier * factor + spareBytes);
});
