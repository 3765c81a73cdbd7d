#!/usr/bin/env node
// The command `egret`: flags → server → listen → close on a signal. Nothing else.
import process from "node:process";
import { helpText, readOptions, type ServerOptions, UsageError } from "./options.ts";
import { createServer, StartError } from "./server.ts";

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === "help") {
    process.stdout.write(helpText());
    return;
  }
  const server = await createServer(options);
  process.stdout.write(greeting(server.url, options));
  const stop = () => {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
    server.close().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
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

/** What the person at the terminal can mend is one line; anything else shows where it happened. */
function fail(error: unknown): void {
  const known = error instanceof UsageError || error instanceof StartError;
  process.stderr.write(
    known ? `egret: ${error.message}\n` : `egret: ${error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(1);
}

main().catch(fail);
