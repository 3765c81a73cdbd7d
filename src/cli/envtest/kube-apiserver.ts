// The `kube-apiserver` executable of an envtest folder: a server that is configured by the flags of a
// kube-apiserver. It runs only the controllers of a kube-apiserver, and those that EGRET_CONTROLLERS names.
import process from "node:process";
import { API_VERSION, versionInfo } from "../../apiserver/endpoints/discovery/discovery.ts";
import { createLog } from "../../apiserver/http/log.ts";
import type { Environment } from "../../server/options/read-command-line.ts";
import { EGRET_VERSION } from "../../server/paths.ts";
import { createServer } from "../../server/server.ts";
import { printError } from "../output.ts";
import { featureNotes } from "./apiserver-features.ts";
import { APISERVER_FLAGS } from "./apiserver-flags.ts";
import { optionsOfFlags } from "./apiserver-options.ts";
import { refuseFlags, withoutEffect } from "./flag-effects.ts";
import { flagTable } from "./flag-help.ts";
import { type GoValues, listOf, readGoFlags } from "./go-flags.ts";
import { OUTLIVES_PARENT, printed, runProgram, stopped } from "./run-program.ts";
import { envtestStore } from "./store-folder.ts";

/** umask for the files of the store and the keys. */
const OWNER_ONLY = 0o077;

/** Resolves with the exit code. A failed start is reported in one line. */
export const runKubeApiserver = (args: readonly string[], env: Environment): Promise<number> =>
  runProgram(() => kubeApiserver(args, env));

/** Resolves with the exit code after a signal or the end of the parent process. Throws UsageError and StartError. */
async function kubeApiserver(args: readonly string[], env: Environment): Promise<number> {
  const values = readGoFlags(APISERVER_FLAGS, args, { oneDash: "letters" });
  if (values.has("help")) return printed(helpText());
  if (values.has("version")) return printed(`Kubernetes ${gitVersion()}\n`);
  refuseFlags(APISERVER_FLAGS, values);
  for (const note of featureNotes(values)) printError(`Warning: ${note}\n`);
  process.umask(OWNER_ONLY);
  const end = stopped(env);
  const store = await envtestStore(listOf(values, "etcd-servers"));
  const options = optionsOfFlags(values, store, env["EGRET_CONTROLLERS"]);
  tellWithoutEffect(values, options.logLevel);
  const server = await createServer(options, { controllersMayFollow: true });
  await end;
  await server.close();
  return server.storeFailure() === undefined ? 0 : 1;
}

const gitVersion = (): string =>
  versionInfo({ egretVersion: EGRET_VERSION, buildDate: "", platform: "" }).gitVersion;

const helpText = (): string => `Usage: kube-apiserver [flags]

Egret ${EGRET_VERSION} as a kube-apiserver ${API_VERSION}. Controllers of other components run where the variable
EGRET_CONTROLLERS names them, with commas between them: namespace,garbage-collector. It ends with the process that has
started it, unless ${OUTLIVES_PARENT} is true.

${flagTable(APISERVER_FLAGS)}`;

function tellWithoutEffect(values: GoValues, logLevel: string): void {
  const flags = withoutEffect(APISERVER_FLAGS, values);
  if (flags.length > 0) createLog(logLevel).debug?.({ flags }, "flags without effect here");
}
