// Part of the build: lazy loading of modules that most starts do not need. The importer gets a module of getters, and the
// module itself is loaded when one of them is first read. Packages among them are separate files, so that a start does not
// read them either.
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";
import { packageFile } from "../src/apimachinery/meta/package-files.ts";

/** Modules of Node, and a package that stays in node_modules. */
const LOADED_LATE = [
  "node:http2",
  "node:https",
  "node:child_process",
  "node:readline",
  "node:worker_threads",
  "node:zlib",
  "@grpc/grpc-js",
];

/** Packages whose export names are all known when the bundle is built. */
const BY_NAMES = ["@fastify/proxy-addr", "ajv", "ip-num", "re2js", "semver", "ws", "yaml"];

/** Packages that are required where they are used. */
const WHOLE = [
  "pino",
  "prom-client",
  "protobufjs/minimal.js",
  "light-my-request",
  "@fastify/ajv-compiler",
  "@fastify/fast-json-stringify-compiler",
];

/**
 * Egret's own modules that a server does not need before a request uses their feature, together with the modules that only
 * they import. Access to one of their names takes three steps, so nothing that every request runs may be listed here.
 */
export const OWN_LATE = [
  "src/apiserver/admission/expressions/authorizer.ts",
  "src/apiserver/admission/expressions/compile.ts",
  "src/apiserver/endpoints/response/to-yaml.ts",
  "src/apimachinery/cel/evaluate.ts",
  "src/cluster/pod-agent/steps.ts",
  "src/cluster/scheduler/place.ts",
  "src/apimachinery/go/pattern-size.ts",
  "src/apimachinery/go/x509/ca-bundle.ts",
  "src/apiserver/http/kubeconfig/discovered.ts",
  "src/apiserver/http/tls/certificate.ts",
  "src/apiserver/http/tls/verify-server.ts",
  "src/apimachinery/meta/packed-rules.ts",
  "src/apimachinery/patch/apply/typed/merge.ts",
  "src/apimachinery/patch/strategic-merge-patch.ts",
  "src/apimachinery/schema/rules/compile-rules.ts",
  "src/apimachinery/schema/rules/compiled-rule.ts",
  "src/apimachinery/schema/rules/data-values.ts",
  "src/apimachinery/schema/rules/decl-type.ts",
  "src/apimachinery/schema/structural.ts",
  "src/apimachinery/yaml/decode-yaml.ts",
];

const NAMES_LATE: readonly string[] = [...LOADED_LATE, ...BY_NAMES, ...WHOLE];

export const isLoadedLate = (name: string): boolean => NAMES_LATE.includes(name);

/** Relative to dist/. */
const FOLDER = "late";

/** Imports of Egret's own modules. */
export const OWN_MODULE = /^\.\.?\/.*\.ts$/;

const NAMESPACE = "loaded-late";
const OWN_NAMESPACE = "own-loaded-late";
/** Marks the import behind the getters, which must resolve to the module itself. */
export const ITSELF = { itself: true };

/** For each package in a file of its own, the folder that imported it. */
const askedFrom = new Map<string, string>();

export const loadedLate: Plugin = {
  name: "modules that are loaded late",
  setup({ onResolve, onLoad }) {
    const isLate = new RegExp(`^(?:${NAMES_LATE.join("|")})$`);
    onResolve({ filter: isLate }, ({ path, pluginData, resolveDir }) =>
      pluginData === ITSELF ? undefined : { path, namespace: NAMESPACE, pluginData: resolveDir },
    );
    onResolve({ filter: /^\.\/late\// }, ({ path }) => ({ path, external: true }));
    onResolve({ filter: OWN_MODULE }, ({ path: asked, pluginData, resolveDir }) => {
      const path = nameInPackage(resolve(resolveDir, asked));
      return OWN_LATE.includes(path) && pluginData !== ITSELF
        ? { path, namespace: OWN_NAMESPACE }
        : undefined;
    });
    onLoad({ filter: /\.ts$/, namespace: OWN_NAMESPACE }, async ({ path }) => {
      return {
        contents: gettersOf(await ownNames(path), `require("./${basename(path)}")`),
        resolveDir: dirname(packageFile(path)),
        pluginData: ITSELF,
      };
    });
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

/** Builds the files of the packages that the bundles import lazily. */
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

/** Returns the module specifier for code in dist/. */
function placeOf(name: string): string {
  if (LOADED_LATE.includes(name)) return name;
  return `./${FOLDER}/${name.replace(/^@/, "").replace(/\.js$/, "").replaceAll("/", "-")}.js`;
}

/** Returns the export names of the module that this name resolves to in the folder. */
function namesOf(name: string, folder: string): string {
  const names = Object.keys(createRequire(join(folder, "any.js"))(name));
  return gettersOf(names, `require(${JSON.stringify(placeOf(name))})`);
}

/** The path of an own module inside the package, so that the output does not depend on the build folder. */
export const nameInPackage = (file: string): string => relative(packageFile("."), file);

/** The export names of an own module. */
export const ownNames = async (name: string): Promise<string[]> =>
  Object.keys(await import(pathToFileURL(packageFile(name)).href));

/**
 * Returns the code of a module with these export names; the expression that yields the module is evaluated when a name is
 * first read.
 */
export function gettersOf(names: readonly string[], module: string): string {
  return `let loaded;
const load = () => (loaded ??= ${module});
for (const name of ${JSON.stringify(names)}) Object.defineProperty(exports, name, { enumerable: true, get: () => load()[name] });`;
}
