// Part of the build: lets a server start from the bundled code, and keeps what V8 compiled for that beside it.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadCode, shippedCacheFile } from "../src/launch/cached-code.ts";
import { DEEP_STACK, DEEP_STACK_NAME } from "../src/launch/node-flags.ts";
import type { createServer as CreateServer } from "../src/server/server.ts";
import { bundledCode } from "./bundle-names.ts";

const built = bundledCode();
const { exports, script } = loadCode(built);
const createServer = exports["createServer"] as typeof CreateServer; // src/bundle.ts names it so
// As most starts are: on a folder, with a kubeconfig.
const folder = await mkdtemp(join(tmpdir(), "egret-build-"));
const server = await createServer({
  dataDir: join(folder, "data"),
  listen: "127.0.0.1:0",
  kubeconfig: join(folder, "kubeconfig"),
  logLevel: "silent",
});
await fetch(`${server.url}/readyz`);
// The other flags, by which this script is loaded, are nothing to V8.
const flags = process.execArgv.includes(DEEP_STACK) ? DEEP_STACK_NAME : "";
await writeFile(shippedCacheFile(built, flags), script.createCachedData());
await server.close();
await rm(folder, { recursive: true });
