// Part of the build: what most starts do without. What imports such a module gets its names, and the module itself is loaded
// once one of them is looked at. Packages among them lie in files of their own, so that a start does not read them either.
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";
import { packageFile } from "../src/meta/package-files.ts";

/** Modules of Node, and a package that stays in its folder. */
const LOADED_LATE = [
  "node:http2",
  "node:https",
  "node:child_process",
  "node:readline",
  "node:worker_threads",
  "node:zlib",
  "@grpc/grpc-js",
];

/** Packages of which all names are known when the bundle is made. */
const BY_NAMES = ["semver", "re2js", "ajv", "ws", "yaml"];

/** Packages that are asked for where they are used. */
const WHOLE = [
  "pino",
  "prom-client",
  "protobufjs/minimal.js",
  "light-my-request",
  "@fastify/ajv-compiler",
  "@fastify/fast-json-stringify-compiler",
];

/** Below dist/. */
const FOLDER = "late";

const NAMESPACE = "loaded-late";
/** Marks the import behind the names, which has to find the module itself. */
const ITSELF = { itself: true };

/** From which folder each package was asked for that lies in a file of its own. */
const askedFrom = new Map<string, string>();

export const loadedLate: Plugin = {
  name: "modules that are loaded late",
  setup({ onResolve, onLoad }) {
    const isLate = new RegExp(`^(?:${[...LOADED_LATE, ...BY_NAMES, ...WHOLE].join("|")})$`);
    onResolve({ filter: isLate }, ({ path, pluginData, resolveDir }) =>
      pluginData === ITSELF ? undefined : { path, namespace: NAMESPACE, pluginData: resolveDir },
    );
    onResolve({ filter: /^\.\/late\// }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: isLate, namespace: NAMESPACE }, ({ path, pluginData }) => {
      if (!LOADED_LATE.includes(path)) askedFrom.set(path, pluginData);
      return {
        contents: WHOLE.includes(path)
          ? `module.exports = require(${JSON.stringify(placeOf(path))});`
          : namesOf(path, pluginData),
        resolveDir: pluginData,
        pluginData: ITSELF,
      };
    });
  },
};

/** Makes the files of packages that the bundles ask for. */
export async function bundleLate(common: BuildOptions): Promise<{ metafile: Metafile }[]> {
  await rm(packageFile("dist", FOLDER), { recursive: true, force: true });
  return Promise.all(
    [...askedFrom].map(([name, resolveDir]) =>
      build({
        ...common,
        metafile: true,
        charset: "ascii",
        stdin: { contents: `module.exports = require(${JSON.stringify(name)});`, resolveDir },
        outfile: packageFile("dist", placeOf(name)),
      }),
    ),
  );
}

/** Where the code finds a module, seen from dist/. */
function placeOf(name: string): string {
  if (LOADED_LATE.includes(name)) return name;
  return `./${FOLDER}/${name.replace(/^@/, "").replace(/\.js$/, "").replaceAll("/", "-")}.js`;
}

/** The names of the module that code in the given folder means by that name. */
function namesOf(name: string, folder: string): string {
  const names = Object.keys(createRequire(join(folder, "any.js"))(name));
  return `let loaded;
const load = () => (loaded ??= require(${JSON.stringify(placeOf(name))}));
for (const name of ${JSON.stringify(names)}) Object.defineProperty(exports, name, { enumerable: true, get: () => load()[name] });`;
}
