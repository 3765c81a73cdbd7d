// `egret serve`, and `egret` alone: serves until a signal arrives.

import process from "node:process";
import { UsageError } from "../server/errors.ts";
import { removeReadyFile, writeReadyFile } from "../server/files/ready-file.ts";
import { DEFAULT_KUBECONFIG } from "../server/options/option-table.ts";
import { readOptions, type ServerOptions } from "../server/options/options.ts";
import type { CommandLine } from "../server/options/read-command-line.ts";
import { signalled } from "../server/process-end.ts";
import { createServer, type Server, type ServerSurroundings } from "../server/server.ts";
import { importText } from "./import-text.ts";
import { print, printError } from "./output.ts";
import { Progress } from "./terminal.ts";

/** The umask of created files: access for their owner only. */
const OWNER_ONLY = 0o077;

/** Resolves with the exit code once the server has stopped: 1 after a failed write. Throws UsageError and StartError. */
export async function serve({ values, words }: CommandLine): Promise<number> {
  if (words.length > 0) throw new UsageError(`egret serve takes flags alone, and no ${words[0]}`);
  const options = readOptions(values);
  const umask = process.umask(OWNER_ONLY); // for the files of LevelDB
  const stopped = signalled();
  const server = await openServer(options, { controllersMayFollow: true });
  try {
    if (isReadyAtRest(options)) await Promise.race([server.started, stopped]);
    const kubeconfig = server.kubeconfigFile?.path ?? "";
    await writeReadyFile(options.readyFile, { url: server.url, kubeconfig }, umask);
    warn(server, options);
    print(greeting(server.url, kubeconfig) + whereToLook(server.url, kubeconfig, options));
    await stopped;
  } finally {
    await server.close();
    await removeReadyFile(options.readyFile);
  }
  return server.storeFailure() === undefined ? 0 : 1;
}

/**
 * Waits until the controllers are idle. With a seed, no request may interleave with the controllers' first writes, so
 * that runs are reproducible. A ready file promises readiness.
 */
function isReadyAtRest({ seed, readyFile }: ServerOptions): boolean {
  return seed !== undefined || readyFile !== undefined;
}

/**
 * Warns on standard error of settings that keep clients or commands from this server, and names its kubeconfig if that
 * is not the usual one.
 */
export function warn({ kubeconfigFile }: Server, { secure, tokenAuthFile }: ServerOptions): void {
  if (!secure && tokenAuthFile !== undefined)
    printError("egret: kubectl and client-go send no token over plain HTTP: they need --secure\n");
  const { path = "", insteadOf, problem } = kubeconfigFile ?? {};
  if (problem !== undefined)
    printError(
      `egret: commands find this server only with --kubeconfig ${path} or EGRET_KUBECONFIG: ${problem}\n`,
    );
  if (insteadOf === undefined) return;
  const { path: wanted, url } = insteadOf;
  printError(`egret: ${wanted} belongs to the server at ${url}, which runs; this one has written ${path}\n`);
}

function greeting(url: string, kubeconfig: string): string {
  const with_ = kubeconfig === "" ? `--server=${url}` : `--kubeconfig=${kubeconfig}`;
  return [
    `Egret listens on ${url}`,
    kubeconfig === "" ? "No kubeconfig was written" : `kubeconfig: ${kubeconfig}`,
    `Try: kubectl ${with_} get egressips,nodes`,
    "",
  ].join("\n");
}

/** The URL of the web UI, or with authentication the command that opens it. */
export function whereToLook(url: string, kubeconfig: string, { noUi, secure }: ServerOptions): string {
  if (noUi) return "";
  const named = kubeconfig === DEFAULT_KUBECONFIG ? "" : ` --kubeconfig=${kubeconfig}`;
  return secure ? `Look: egret ui${named}\n` : `Look: ${url}/egret/ui/\n`;
}

/** Starts a server; shows loading progress on a terminal. Throws StartError. */
export async function openServer(options: ServerOptions, around: ServerSurroundings = {}): Promise<Server> {
  using progress = new Progress("loaded");
  using read = new Progress("read");
  return await createServer(options, {
    ...around,
    onLoad: (done, total) => progress.show(done, total),
    onImportRead: (count) => read.show(count, 0),
    onImport: (report) => {
      progress.clear();
      printError(importText(report));
    },
  });
}
