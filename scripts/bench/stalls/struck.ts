// One stall against a server while another client GETs.
import type { EgretProcess } from "../../../test/support/egret-process.ts";
import type { ServerAccess } from "../client/server-access.ts";
import { launchEgret } from "../own-server.ts";
import type { Probe, ProbeFigures } from "./probe.ts";
import type { Stall } from "./stall.ts";

/** The heap limit of the server. */
const HEAP_MEGABYTES = 384;

export interface Struck {
  readonly stall: Stall;
  readonly statuses: readonly number[];
  readonly figures: ProbeFigures;
}

export async function startSmallServer(
  dataDir: string,
  flags: readonly string[] = [],
): Promise<EgretProcess> {
  const env = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MEGABYTES}` };
  return await launchEgret(["--data-dir", dataDir, "--kubeconfig", "", ...flags], { env });
}

/** Throws when the server has died, or left a GET without a good answer. */
export async function struck(stall: Stall, access: ServerAccess, probe: Probe): Promise<Struck> {
  const strike = await stall.arm(access);
  const { figures, done } = await probe.during(strike);
  if (figures.failed > 0) throw new Error(`${stall.id}: ${figures.failed} GETs beside it have failed`);
  return { stall, statuses: done, figures };
}
