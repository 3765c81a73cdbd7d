// Part of the build: modules that most starts do without. What imports one gets its names, and the module itself is loaded
// once one of them is looked at.
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Plugin } from "esbuild";

/** Modules of Node and packages; each name that they export is known when the bundle is made. */
const LOADED_LATE = [
  "node:http2",
  "node:https",
  "node:child_process",
  "node:readline",
  "node:worker_threads",
  "semver",
  "re2js",
  "ajv",
  "ws",
  "@grpc/grpc-js",
];

const NAMESPACE = "loaded-late";
/** Marks the import behind the names, which has to find the module itself. */
const ITSELF = { itself: true };

export const loadedLate: Plugin = {
  name: "modules that are loaded late",
  setup({ onResolve, onLoad }) {
    const isLate = new RegExp(`^(?:${LOADED_LATE.join("|")})$`);
    onResolve({ filter: isLate }, ({ path, pluginData, resolveDir }) =>
      pluginData === ITSELF ? undefined : { path, namespace: NAMESPACE, pluginData: resolveDir },
    );
    onLoad({ filter: isLate, namespace: NAMESPACE }, ({ path, pluginData }) => ({
      contents: namesOf(path, pluginData),
      resolveDir: pluginData,
      pluginData: ITSELF,
    }));
  },
};

/** The names of the module that code in the given folder means by that name. */
function namesOf(name: string, folder: string): string {
  const names = Object.keys(createRequire(join(folder, "any.js"))(name));
  return `let loaded;
const load = () => (loaded ??= require(${JSON.stringify(name)}));
for (const name of ${JSON.stringify(names)}) Object.defineProperty(exports, name, { enumerable: true, get: () => load()[name] });`;
}
