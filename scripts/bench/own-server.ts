// The built server, started by the bench: that of this checkout, or of another one that is built.
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { packageFile } from "../../src/meta/package-files.ts";
import { type EgretProcess, startEgret } from "../../test/support/egret-process.ts";
import { EGRESS_IPS } from "./client/egress-ips.ts";
import { plainAccess, readJson, type ServerAccess } from "./client/server-access.ts";

/** The API is measured without the engine, whose own writes would take their share. */
export const API_ALONE = ["--controllers", "*,-egressip,-serviceaccount,-root-ca-publisher"];

/** How a server is started is a matter of its checkout, as its flags of Node are. */
let own = { folder: packageFile(), startEgret };

/** From here on servers are those of that checkout. */
export async function serveFrom(folder: string): Promise<void> {
  const module = await import(
    pathToFileURL(join(resolve(folder), "test", "support", "egret-process.ts")).href
  );
  own = { folder: resolve(folder), startEgret: module.startEgret };
}

export const launchEgret: typeof startEgret = (flags, options) => own.startEgret(flags, options);

export const builtFolder = (): string => own.folder;

export const builtFile = (name: string): string => join(own.folder, "dist", name);

/** For an import. */
export const builtModule = (name: string): string => pathToFileURL(builtFile(name)).href;

export interface Started {
  readonly egret: EgretProcess;
  readonly access: ServerAccess;
  /** From the start of the process to the first answer about EgressIPs. */
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
