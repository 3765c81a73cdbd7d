// Part of the build: lets a server start from the bundled code, and keeps what V8 compiled for that beside it.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadCode } from "../src/cached-code.ts";
import { packageFile } from "../src/meta/package-files.ts";
import type { createServer as CreateServer } from "../src/server.ts";
import { BUNDLED_CODE, cacheFile } from "./bundle-names.ts";

const { exports, script } = loadCode(packageFile("dist"), BUNDLED_CODE);
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
await writeFile(packageFile("dist", cacheFile(BUNDLED_CODE)), script.createCachedData());
await server.close();
await rm(folder, { recursive: true });
