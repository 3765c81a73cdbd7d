// Part of the build: bundles all code and the packages it uses into one file, with V8's code cache next to it, and builds
// small entry modules that load both. Otherwise finding, reading and compiling several hundred files is most of the time
// of a start.
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { packageFile } from "../src/apimachinery/meta/package-files.ts";
import { WRAPPER } from "../src/server/launch/cached-code.ts";
import { bundleApart } from "./apart.ts";
import { BUNDLED_CODE, bundledCode } from "./bundle-names.ts";
import { bundleLate, loadedLate } from "./loaded-late.ts";
import { shareShapes } from "./shared-shapes.ts";
import { writeLicences } from "./third-party-licences.ts";

/** Named exports, because an ES module that imports CommonJS sees only names that occur in the code. */
const TESTING_API = Object.keys(await import("../src/testing/start-egret.ts"));

/** The shipped entry modules by file, with what they do with the loaded code. */
const ENTRIES: Readonly<Record<string, string>> = {
  "main.js": programOf("main"),
  "kube-apiserver.js": programOf("kubeApiserver"),
  "server.js": "exports.createServer = code.createServer;",
  "testing.js": TESTING_API.map((name) => `exports.${name} = code.testing.${name};`).join("\n"),
};

/** Returns an executable that runs the function of that name. */
function programOf(name: string): string {
  return `import { endProcess, ignoreClosedPipe } from "./server/launch/end-process.ts";
import { optimizeSooner } from "./server/launch/optimize-sooner.ts";
ignoreClosedPipe();
code.onceServing(optimizeSooner);
code.${name}(process.argv.slice(2), process.env).then(endProcess);`;
}

/** The etcd wrapper needs no more code than this and starts fast. */
const ETCD = "etcd.js";
const RUN_ETCD = `import { endProcess, ignoreClosedPipe } from "./server/launch/end-process.ts";
import { etcd } from "./cli/envtest/etcd.ts";
import { runProgram } from "./cli/envtest/run-program.ts";
ignoreClosedPipe();
runProgram(() => etcd(process.argv.slice(2), process.env)).then(endProcess);`;

/** The process that compiles the code and writes V8's code cache; it loads the code itself. */
const COMPILER = "compile.js";
/** `code` is the name, folder and digest of the code. */
const COMPILE = 'import { compile } from "./compile.ts"; void compile(code);';

/** Programs exit where they cannot run; modules that other code loads throw. */
const PROGRAMS = ["main.js", "kube-apiserver.js", ETCD];

/** Older Node versions than the supported ones must be able to parse the code that rejects them. */
const OLD_NODE = "node12";
const REFUSE = 'process.stderr.write("egret: " + problem + "\\n"); process.exit(1);';
const THROW = 'throw new Error("egret-apiserver: " + problem);';

/** LevelDB is a native library: it stays in the folder of its package and is resolved from there. */
const compiledLibrary: Plugin = {
  name: "compiled library",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]classic-level[\\/]binding\.js$/ }, () => ({
      contents: `const folder = require("node:path").dirname(require.resolve("classic-level/package.json"));
module.exports = require("node-gyp-build")(folder);`,
    }));
  },
};

const common = {
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  // Halves the bytes to read at a start; names stay, so that stack traces are readable.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 200,
  logLevel: "error",
} as const;

const MODULE_URL = 'const moduleUrl = require("node:url").pathToFileURL(__filename).href;';

const allCode = {
  ...common,
  metafile: true,
  charset: "ascii",
  plugins: [compiledLibrary, loadedLate],
  // Only a store in etcd needs it: it stays in its package, so that no other start reads it.
  external: ["@grpc/grpc-js"],
  // CommonJS modules have no import.meta.
  define: { "import.meta.url": "moduleUrl" },
  banner: { js: MODULE_URL },
} satisfies BuildOptions;

const server = await bundleApart(allCode, {
  // V8 compiles the whole file as read, so it contains the function wrapper.
  banner: { js: `${WRAPPER.before}${MODULE_URL}` },
  footer: { js: WRAPPER.behind },
  entryPoints: [packageFile("src", "bundle.ts")],
  outfile: packageFile("dist", BUNDLED_CODE),
});
// Worker threads and child processes need only this part of the code.
const beside = await Promise.all(
  ["worker", "reader"].map((name) =>
    build({
      ...allCode,
      entryPoints: [packageFile("src", `${name}.ts`)],
      outfile: packageFile("dist", `${name}.js`),
    }),
  ),
);
const late = await bundleLate(common);
const metafiles = [...server, ...beside, ...late].map(({ metafile }) => metafile);
for (const { outputs } of metafiles) await Promise.all(Object.keys(outputs).map(shareShapes));
await writeLicences(metafiles);
// Removes the code caches of an earlier build.
for (const name of await readdir(packageFile("dist"))) {
  if (name.endsWith(".cache")) await rm(packageFile("dist", name));
}
const { digest } = bundledCode();
const built = `{ folder: __dirname, name: "${BUNDLED_CODE}", digest: "${digest}" }`;
const LAUNCH = `import { launch } from "./server/launch/cached-code.ts"; const code = launch(${built});`;
const LOADS: Readonly<Record<string, string>> = { [COMPILER]: `const code = ${built};`, [ETCD]: "" };
for (const [name, use] of Object.entries({ ...ENTRIES, [COMPILER]: COMPILE, [ETCD]: RUN_ETCD })) {
  const load = LOADS[name] ?? LAUNCH;
  await build({
    ...common,
    target: name === ETCD ? common.target : OLD_NODE,
    stdin: { contents: `${load}\n${use}`, resolveDir: packageFile("src"), loader: "ts" },
    outfile: packageFile("dist", name),
    banner: {
      js: PROGRAMS.includes(name)
        ? `#!/usr/bin/env node\n${await nodeCheck(REFUSE)}`
        : await nodeCheck(THROW),
    },
  });
}
// The CommonJS loader starts faster than that of ES modules, and its modules can be imported and required.
await writeFile(packageFile("dist", "package.json"), '{ "type": "commonjs" }\n');

/** Returns code that checks the Node version; it goes before all other code. */
async function nodeCheck(refusal: string): Promise<string> {
  const { engines } = JSON.parse(await readFile(packageFile("package.json"), "utf8"));
  const floor = /^>=(\d+\.\d+)$/.exec(engines.node)?.[1];
  if (floor === undefined) throw new Error(`engines.node is ${engines.node}, and no floor`);
  const check = `import { nodeProblem } from "./server/launch/node-floor.ts";
const problem = nodeProblem(process.versions.node, "${floor}", process.execPath);
if (problem !== undefined) { ${refusal} }`;
  const { outputFiles } = await build({
    ...common,
    format: "iife",
    target: OLD_NODE,
    stdin: { contents: check, resolveDir: packageFile("src"), loader: "ts" },
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}
