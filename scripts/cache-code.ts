// Part of the build: lets a server start from the bundled code, and keeps what V8 compiled for that beside it.
import { writeFile } from "node:fs/promises";
import { loadCode } from "../src/cached-code.ts";
import { packageFile } from "../src/meta/package-files.ts";
import type { createServer as CreateServer } from "../src/server.ts";
import { BUNDLED_CODE, cacheFile } from "./bundle-names.ts";

const { exports, script } = loadCode(packageFile("dist"), BUNDLED_CODE);
const createServer = exports["createServer"] as typeof CreateServer; // src/bundle.ts names it so
const server = await createServer({
  inMemory: true,
  listen: "127.0.0.1:0",
  kubeconfig: "",
  logLevel: "silent",
});
await fetch(`${server.url}/readyz`);
await writeFile(packageFile("dist", cacheFile(BUNDLED_CODE)), script.createCachedData());
await server.close();
