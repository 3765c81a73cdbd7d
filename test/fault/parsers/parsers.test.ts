// Every parser of external data gets random inputs: it accepts them or rejects them with a declared error, within time and
// memory limits that depend on their size. EGRET_FAULT_SEED repeats a run.
import { expect, test } from "vitest";
import { TARGET_NAMES } from "./all-targets.ts";
import { runTarget } from "./run-target.ts";

const SEED = Number(process.env["EGRET_FAULT_SEED"] ?? Date.now() % 1_000_000);
const TIMES = Number(process.env["EGRET_FAULT_TIMES"] ?? 40);
const INPUTS = TIMES * 50;
const MS_MAX = TIMES * 40;

test.each(TARGET_NAMES)(
  `%s (seed ${SEED})`,
  {
    timeout: 60_000 + 3 * MS_MAX,
  },
  async (target) => {
    expect(await runTarget({ target, seed: SEED, inputs: INPUTS, msMax: MS_MAX })).toBeGreaterThan(0);
  },
);
