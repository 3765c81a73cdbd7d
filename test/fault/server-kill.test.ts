// The whole server is killed at random moments while clients write and watch, and restarted on its folder. Every
// acknowledged write must be stored, and none of the others in part. Revisions only grow. A watch that resumes where it
// was cut receives each change once and in order. EGRET_KILL_CYCLES and EGRET_KILL_SEED set the number of kills and their
// times.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startAndKill, startEgret } from "../support/egret-process.ts";
import { Random } from "../support/random.ts";
import { KillClients } from "./kill-clients.ts";

const CYCLES = Number(process.env["EGRET_KILL_CYCLES"] ?? 20);
const SEED = Number(process.env["EGRET_KILL_SEED"] ?? Date.now() % 1_000_000);
const CYCLE_MS_MAX = 10_000;
/** The longest lifetime of a cycle's server. */
const LIFE_MS_MAX = 400;
/** One in so many is killed while it starts. */
const KILLED_AT_START = 4;
const START_MS_MAX = 500;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-kill-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test(`nothing that was answered is lost in ${CYCLES} kills (seed ${SEED})`, {
  timeout: CYCLES * CYCLE_MS_MAX,
}, async () => {
  const random = new Random(SEED);
  const flags = ["--data-dir", join(folder, "data"), "--kubeconfig", "", "--controllers", ""];
  const clients = new KillClients(random);
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    if (random.below(KILLED_AT_START) === 0) await startAndKill(flags, random.below(START_MS_MAX));
    const egret = await startEgret(flags);
    await clients.check(egret.url);
    const working = clients.work(egret.url);
    await new Promise((resolve) => setTimeout(resolve, random.below(LIFE_MS_MAX)));
    await egret.stop("SIGKILL");
    await working;
  }
  await using egret = await startEgret(flags);
  await clients.check(egret.url);
  expect(clients.answered).toBeGreaterThan(CYCLES);
});
