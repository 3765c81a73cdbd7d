// Part of the build: all code and the packages that it uses as one file, beside it what V8 makes of it, and small modules
// that load both. Finding, reading and compiling several hundred files is most of what a start costs otherwise.
import { rm, writeFile } from "node:fs/promises";
import { build, type Plugin } from "esbuild";
import { packageFile } from "../src/meta/package-files.ts";
import { BUNDLED_CODE, cacheFile } from "./bundle-names.ts";
import { loadedLate } from "./loaded-late.ts";

/** By name, because whoever imports CommonJS finds only names that are written out. */
const TESTING_API = Object.keys(await import("../src/testing/start-egret.ts"));

/** The shipped modules, by file: what they do with the code that is loaded. */
const ENTRIES: Readonly<Record<string, string>> = {
  "main.js": "code.main(process.argv.slice(2), process.env).then((exitCode) => process.exit(exitCode));",
  "server.js": "exports.createServer = code.createServer;",
  "testing.js": TESTING_API.map((name) => `exports.${name} = code.testing.${name};`).join("\n"),
};

/** LevelDB itself is a compiled library: it stays in the folder of its package, which knows where to find it. */
const compiledLibrary: Plugin = {
  name: "compiled library",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/binding$/ }, ({ resolveDir }) =>
      resolveDir.endsWith("classic-level") ? { path: "classic-level/binding.js", external: true } : undefined,
    );
  },
};

const common = {
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  // Half the bytes to read at a start; names stay, so that a stack can be read.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 200,
  logLevel: "error",
} as const;

await build({
  ...common,
  entryPoints: [packageFile("src", "bundle.ts")],
  outfile: packageFile("dist", BUNDLED_CODE),
  charset: "ascii",
  plugins: [compiledLibrary, loadedLate],
  // Modules in CommonJS do not have it.
  define: { "import.meta.url": "moduleUrl" },
  banner: { js: 'const moduleUrl = require("node:url").pathToFileURL(__filename).href;' },
});
await rm(packageFile("dist", cacheFile(BUNDLED_CODE)), { force: true });
for (const [name, use] of Object.entries(ENTRIES)) {
  const load = `import { loadCode } from "./cached-code.ts"; const code = loadCode(__dirname, "${BUNDLED_CODE}").exports;`;
  await build({
    ...common,
    stdin: { contents: `${load}\n${use}`, resolveDir: packageFile("src"), loader: "ts" },
    outfile: packageFile("dist", name),
    ...(name === "main.js" ? { banner: { js: "#!/usr/bin/env node" } } : {}),
  });
}
// The loader of CommonJS is there sooner than that of ES modules, and what it loads can be imported and required.
await writeFile(packageFile("dist", "package.json"), '{ "type": "commonjs" }\n');
