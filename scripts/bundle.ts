// Part of the build: the compiled files and the packages they use, joined into a few. Finding and opening several
// hundred files is most of what a start costs otherwise.
import { readdir, rm } from "node:fs/promises";
import { build } from "esbuild";
import { packageFile } from "../src/meta/package-files.ts";

const DIST = packageFile("dist");
const ENTRIES = ["main.js", "server.js"];
/** They load a compiled library that lies in their own folders. */
const LOADED_AS_THEY_ARE = ["level", "classic-level"];

for (const name of await readdir(DIST)) {
  if (/^chunk-\w+\.js$/.test(name)) await rm(packageFile("dist", name));
}
await build({
  entryPoints: ENTRIES.map((name) => packageFile("dist", name)),
  outdir: DIST,
  allowOverwrite: true,
  bundle: true,
  splitting: true,
  platform: "node",
  format: "esm",
  target: "node20",
  external: LOADED_AS_THEY_ARE,
  // Half the bytes to read at a start; names stay, so that a stack can be read.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 200,
  logLevel: "error",
  // Packages in CommonJS ask for Node's own modules by require.
  banner: {
    js: 'import { createRequire as from } from "node:module"; const require = from(import.meta.url);',
  },
});
