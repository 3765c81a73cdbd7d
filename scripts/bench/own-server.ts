// The built server, started by the bench: from this checkout, or from another built one.
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { packageFile } from "../../src/apimachinery/meta/package-files.ts";
import { type EgretProcess, startEgret } from "../../test/support/egret-process.ts";
import { EGRESS_IPS } from "./client/egress-ips.ts";
import { plainAccess, readJson, type ServerAccess } from "./client/server-access.ts";

/** The API is measured without the EgressIP controller, whose own writes would distort the result. */
export const API_ALONE = ["--controllers", "*,-egressip,-serviceaccount,-root-ca-publisher"];

/** The checkout defines how its server starts and with which flags of Node. */
let own = { folder: packageFile(), startEgret };

/** From now on servers are started from that checkout. */
export async function serveFrom(folder: string): Promise<void> {
  const module = await import(
    pathToFileURL(join(resolve(folder), "test", "support", "egret-process.ts")).href
  );
  own = { folder: resolve(folder), startEgret: module.startEgret };
}

export const launchEgret: typeof startEgret = (flags, options) => own.startEgret(flags, options);

export const builtFolder = (): string => own.folder;

export const builtFile = (name: string): string => join(own.folder, "dist", name);

/** The URL of a built module, for `import()`. */
export const builtModule = (name: string): string => pathToFileURL(builtFile(name)).href;

export interface Started {
  readonly egret: EgretProcess;
  readonly access: ServerAccess;
  /** Milliseconds from the start of the process to the first answer about EgressIPs. */
  readonly ms: number;
}

const noKubeconfig = (flags: readonly string[]): readonly string[] =>
  flags.includes("--kubeconfig") ? [] : ["--kubeconfig", ""];

export async function start(dataDir: string, flags: readonly string[] = []): Promise<Started> {
  const from = performance.now();
  const egret = await launchEgret(["--data-dir", dataDir, ...noKubeconfig(flags), ...flags]);
  const access = plainAccess(egret.url, egret.pid);
  await readJson(access, `${EGRESS_IPS}?limit=1`);
  return { egret, access, ms: performance.now() - from };
}
