// The built server, started by the bench.
import { type EgretProcess, startEgret } from "../../test/support/egret-process.ts";
import { EGRESS_IPS } from "./client/egress-ips.ts";
import { plainAccess, readJson, type ServerAccess } from "./client/server-access.ts";

/** The API is measured without the engine, whose own writes would take their share. */
export const API_ALONE = ["--controllers", "*,-egressip,-serviceaccount,-root-ca-publisher"];

export interface Started {
  readonly egret: EgretProcess;
  readonly access: ServerAccess;
  /** From the start of the process to the first answer about EgressIPs. */
  readonly ms: number;
}

export async function start(dataDir: string, flags: readonly string[] = []): Promise<Started> {
  const from = performance.now();
  const egret = await startEgret(["--data-dir", dataDir, "--kubeconfig", "", ...flags]);
  const access = plainAccess(egret.url, egret.pid);
  await readJson(access, `${EGRESS_IPS}?limit=1`);
  return { egret, access, ms: performance.now() - from };
}
