// The start time of a control plane for suites, in multiples of a bare Node start on this machine. Each round measures
// both in succession, so that a slow machine affects both.
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { median } from "../../../scripts/bench/measure.ts";
import { ControlPlane, EnvtestFolder } from "../../support/envtest/control-plane.ts";

const ROUNDS = 7;
/** Measured on a quiet machine: 6 to 7 for the start, 0.3 to 0.4 for the end. */
const START_RATIO_MAX = 10;
const STOP_RATIO_MAX = 2;

let folder: EnvtestFolder;
beforeAll(async () => {
  folder = await EnvtestFolder.make();
});
afterAll(() => folder[Symbol.asyncDispose]());

function bareStartMs(): number {
  const started = performance.now();
  spawnSync(process.execPath, ["-e", "0"]);
  return performance.now() - started;
}

test("an API server is ready after a few starts of Node, and gone after less than that", async () => {
  const ratios: { start: number; stop: number }[] = [];
  await using plane = await ControlPlane.start(folder); // the first start of a machine compiles the code
  for (let round = 0; round < ROUNDS; round++) {
    const bareMs = bareStartMs();
    const stopping = performance.now();
    await plane.apiserver.stop();
    const stopMs = performance.now() - stopping;
    const starting = performance.now();
    await plane.restart("SIGTERM");
    ratios.push({ start: (performance.now() - starting) / bareMs, stop: stopMs / bareMs });
  }
  const start = median(ratios.map((ratio) => ratio.start));
  const stop = median(ratios.map((ratio) => ratio.stop));
  expect({ start, stop }).toEqual({
    start: expect.toSatisfy((ratio: number) => ratio < START_RATIO_MAX),
    stop: expect.toSatisfy((ratio: number) => ratio < STOP_RATIO_MAX),
  });
});

test("twenty control planes start beside each other", async () => {
  const planes = await Promise.all(Array.from({ length: 20 }, () => ControlPlane.start(folder)));
  try {
    for (const plane of planes) expect((await plane.call("/readyz")).code).toBe(200);
  } finally {
    await Promise.all(planes.map((plane) => plane[Symbol.asyncDispose]()));
  }
});
