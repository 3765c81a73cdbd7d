// While one client sends the worst requests, another is answered within a quarter of a second (more on a slower machine):
// each stall of the bench against one server with a small heap, which survives all of them in sequence.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { plainAccess } from "../../../scripts/bench/client/server-access.ts";
import { slowness } from "../../../scripts/bench/machine-speed.ts";
import { type Probe, startProbe } from "../../../scripts/bench/stalls/probe.ts";
import type { Stall } from "../../../scripts/bench/stalls/stall.ts";
import { STALLS } from "../../../scripts/bench/stalls/stalls.ts";
import { type Struck, startSmallServer, struck } from "../../../scripts/bench/stalls/struck.ts";
import type { EgretProcess } from "../../support/egret-process.ts";

const GET_MS_MAX = 250 * slowness();
/** A machine that others share may stand still at any moment; it does not do so each time. */
const TRIES = 4;
const STALL_MS_MAX = 180_000;

let folder = "";
let server: EgretProcess;
let probe: Probe;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-stalls-"));
  server = await startSmallServer(join(folder, "data"));
  probe = await startProbe(server.url);
});

afterAll(async () => {
  await probe?.[Symbol.asyncDispose]();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** What it did to a server of its own, as another machine or moment would show it. */
async function again(stall: Stall): Promise<Struck> {
  const data = await mkdtemp(join(folder, "again-"));
  await using other = await startSmallServer(data);
  await using ofOther = await startProbe(other.url);
  return await struck(stall, plainAccess(other.url), ofOther);
}

test.each(STALLS)(
  "$what",
  async (stall) => {
    let { statuses, figures } = await struck(stall, plainAccess(server.url), probe);
    expect(stall.answers).toEqual(expect.arrayContaining([...new Set(statuses)]));
    for (let tries = 1; figures.longestMs >= GET_MS_MAX && tries < TRIES; tries++) {
      ({ statuses, figures } = await again(stall));
      expect(stall.answers).toEqual(expect.arrayContaining([...new Set(statuses)]));
    }
    expect(figures.count).toBeGreaterThan(0);
    expect(figures.longestMs).toBeLessThan(GET_MS_MAX);
  },
  STALL_MS_MAX,
);
