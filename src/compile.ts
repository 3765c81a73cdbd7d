// The process that compiles the code for the next start; server/launch/compile-beside.ts starts it beside a server. The build
// calls compiledByStart() for the shipped cache.
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { type BuiltCode, loadCode } from "./server/launch/cached-code.ts";
import { keepInCache, leaveCache } from "./server/launch/code-cache.ts";
import type { createServer as CreateServer } from "./server/server.ts";

export async function compile(built: BuiltCode): Promise<void> {
  process.once("exit", () => leaveCache(built.digest));
  process.once("SIGTERM", () => process.exit(1)); // the server has ended
  keepInCache(built.digest, await compiledByStart(built));
  process.exit(0);
}

/**
 * Returns V8's code cache after a typical start, with a folder and a kubeconfig, and one answered request. The server
 * listens on a socket that only this user can access.
 */
export async function compiledByStart(built: BuiltCode): Promise<Buffer> {
  const { exports, script } = loadCode(built);
  const createServer = exports["createServer"] as typeof CreateServer; // exported by src/bundle.ts
  const folder = await mkdtemp(join(tmpdir(), "egret-compile-"));
  const clear = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", clear);
  try {
    const socketPath = join(folder, "socket");
    const files = { dataDir: join(folder, "data"), kubeconfig: join(folder, "kubeconfig") };
    const server = await createServer({ ...files, logLevel: "silent" }, { socketPath });
    await answered(socketPath);
    const compiled = script.createCachedData();
    await server.close();
    return compiled;
  } finally {
    process.off("exit", clear);
    clear();
  }
}

function answered(socketPath: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath).once("close", () => resolve());
    socket.once("error", reject).resume();
    socket.write("GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
  });
}
