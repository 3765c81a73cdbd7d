// `egret serve`, and `egret` alone: serves until a signal comes.
import { rm, writeFile } from "node:fs/promises";
import process from "node:process";
import { readOptions, type ServerOptions } from "../options.ts";
import { helpText } from "../server/command-line/flags.ts";
import { StartError } from "../server/start-error.ts";
import { createServer, type Server } from "../server.ts";

/** Resolves with the exit code once the server has stopped. Throws UsageError and StartError. */
export async function serve(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const options = readOptions(args, env);
  if (options === "help") {
    process.stdout.write(helpText());
    return 0;
  }
  const stopped = signalled();
  const server = await createServer(options, { controllersMayFollow: true });
  try {
    if (isReadyAtRest(options)) await Promise.race([server.started, stopped]);
    await tellReady(server, options);
    process.stdout.write(greeting(server.url, options));
    await stopped;
  } finally {
    await server.close();
    if (options.readyFile !== "") await rm(options.readyFile, { force: true });
  }
  return 0;
}

/** With a seed two runs are alike: no request may come between what the controllers do first. A file says that all is ready. */
function isReadyAtRest({ seed, readyFile }: ServerOptions): boolean {
  return seed !== "" || readyFile !== "";
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
  });
}

/** Whoever waits for the file finds all of it or none. */
async function tellReady({ url }: Server, { readyFile, kubeconfig }: ServerOptions): Promise<void> {
  if (readyFile === "") return;
  try {
    await writeFile(readyFile, `${JSON.stringify({ url, kubeconfig, pid: process.pid })}\n`);
  } catch (cause) {
    throw new StartError(`the file ${readyFile} cannot be written (${String(cause)})`, { cause });
  }
}

function greeting(url: string, { kubeconfig }: ServerOptions): string {
  const with_ = kubeconfig === "" ? `--server=${url}` : `--kubeconfig=${kubeconfig}`;
  return [
    `Egret listens on ${url}`,
    kubeconfig === "" ? "No kubeconfig was written" : `kubeconfig: ${kubeconfig}`,
    `Try: kubectl ${with_} get egressips,nodes`,
    "",
  ].join("\n");
}
