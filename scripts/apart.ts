// Part of the build: own modules that a starting server does not need go into a second file, which is read when one of
// them is first used. The second file is bundled against the first: shared modules exist once, in the first file, and are
// passed to the second.
//
// The second file holds the modules of the list, those imported by `import()`, and what only they import.
import { resolve } from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";
import { packageFile } from "../src/apimachinery/meta/package-files.ts";
import {
  gettersOf,
  ITSELF,
  isLoadedLate,
  nameInPackage,
  OWN_LATE,
  OWN_MODULE,
  ownNames,
} from "./loaded-late.ts";

/** Imported statically by modules of the first file, which use their names later. */
const OWN_APART = [
  "src/kube/admission/always-deny.ts",
  "src/kube/admission/always-pull-images.ts",
  "src/kube/admission/external-ips.ts",
  "src/kube/admission/namespace-existence.ts",
  "src/kube/admission/owner-permissions.ts",
  "src/kube/admission/pod-security/evaluate.ts",
  "src/apiserver/admission/policies/mutating-policies.ts",
  "src/apiserver/admission/policies/validating-policies.ts",
  "src/apiserver/admission/webhooks/ask-webhooks.ts",
  "src/apiserver/authorization/authorizer-union.ts",
  "src/apiserver/authorization/rbac/policy.ts",
  "src/apiserver/authorization/rbac/rbac-authorizer.ts",
  "src/apiserver/endpoints/issuer-discovery.ts",
  "src/apiserver/endpoints/openapi/openapi.ts",
  "src/testing/cases/run-case.ts",
  "src/cli/ask-server.ts",
  "src/kube/core/pod/update/show-change.ts",
  "src/features/faults/answer-body.ts",
  "src/features/import/arrivals.ts",
  "src/features/import/diff.ts",
  "src/features/import/raw-restore.ts",
  "src/features/analysis/moves.ts",
  "src/features/waits/timeline.ts",
  "src/features/webhook-calls/hidden-values.ts",
  "src/cluster/cronjob/next-time.ts",
  "src/cluster/deployment/scaling.ts",
  "src/cluster/deployment/status.ts",
  "src/apiserver/apiextensions/webhook-call.ts",
  "src/apiserver/apiextensions/webhook-converter.ts",
  "src/apimachinery/go/x509/certificate-request.ts",
  "src/apiserver/authentication/client-certificate.ts",
  "src/apiserver/authentication/key-files.ts",
  "src/apiserver/authentication/request-header.ts",
  "src/apiserver/authentication/secret-tokens.ts",
  "src/apiserver/authentication/session-file.ts",
  "src/apiserver/authentication/sessions.ts",
  "src/apiserver/http/webhook-client.ts",
  "src/apiserver/http/websocket/handshake.ts",
  "src/apiserver/http/websocket/messages.ts",
  "src/apiserver/http/websocket/socket-response-writer.ts",
  "src/apimachinery/meta/shard-selector.ts",
  "src/server/authentication-info.ts",
  "src/server/bootstrap-policy.ts",
  "src/server/cluster-settings.ts",
  "src/cli/commands.ts",
  "src/server/import-sources.ts",
  "src/server/leader-election.ts",
  "src/server/nodes/make-node.ts",
  "src/features/import/sources/collect.ts",
  "src/features/import/sources/files.ts",
  "src/testing/check-calls.ts",
  "src/ovn/assignment/assignment.ts",
  "src/ovn/assignment/cloud-request.ts",
  "src/ovn/capacity.ts",
  "src/ovn/explain/explain.ts",
  "src/ovn/explain/moves.ts",
  "src/ovn/moved-addresses.ts",
  "src/ovn/trace/claims.ts",
  "src/ovn/trace/destinations.ts",
  "src/ovn/trace/egress-ip-source.ts",
  "src/ovn/trace/many.ts",
  "src/ovn/trace/trace.ts",
];

/** The file is next to the first one, and exports a function of the modules that the first one passes. */
const FILE = "./apart.cjs";
const BEFORE =
  "module.exports = (shared, require, moduleUrl) => { const module = { exports: {} }, exports = module.exports;";
const BEHIND = "return module.exports; };";

const APART = "apart";
const LOADER = "apart:loader";
const SHARED = "shared";

/** Builds both files: `first` holds the options of the first one only. The metafiles list the modules in each. */
export async function bundleApart(
  common: BuildOptions,
  first: BuildOptions,
): Promise<{ metafile: Metafile }[]> {
  const asked = new Set<string>();
  const withLoader = (shared: ReadonlySet<string>): BuildOptions & { metafile: true } => ({
    ...common,
    ...first,
    metafile: true,
    plugins: [apartFrom(asked, shared), ...(common.plugins ?? [])],
  });
  const draft = await build({ ...withLoader(new Set()), write: false });
  const inFirst = new Set(Object.keys(draft.metafile.inputs).map((path) => resolve(path)));
  const shared = new Set<string>();
  const apart = await build({
    ...common,
    metafile: true,
    plugins: [sharedWith(inFirst, shared), ...(common.plugins ?? [])],
    stdin: { contents: `exports.modules = ${modulesText(asked)};`, resolveDir: packageFile("scripts") },
    outfile: packageFile("dist", FILE),
    banner: { js: BEFORE },
    footer: { js: BEHIND },
  });
  return [await build(withLoader(shared)), apart];
}

/** In the first file: replaces modules of the second file by getters, and records them. */
function apartFrom(asked: Set<string>, shared: ReadonlySet<string>): Plugin {
  const own = new Set(OWN_APART.map((path) => packageFile(path)));
  return {
    name: "modules that lie apart",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: OWN_MODULE }, ({ path, kind, resolveDir }) => {
        const file = resolve(resolveDir, path);
        if (kind !== "dynamic-import" && !own.has(file)) return undefined;
        asked.add(nameInPackage(file));
        return { path: nameInPackage(file), namespace: APART };
      });
      onLoad({ filter: /\.ts$/, namespace: APART }, async ({ path }) => ({
        contents: gettersOf(await ownNames(path), `require("${LOADER}")(${JSON.stringify(path)})`),
      }));
      onResolve({ filter: new RegExp(`^${LOADER}$`) }, ({ path }) => ({ path, namespace: LOADER }));
      onResolve({ filter: /^\.\/apart\.cjs$/ }, ({ path }) => ({ path, external: true }));
      onLoad({ filter: /./, namespace: LOADER }, () => ({
        contents: `let apart;
const shared = ${modulesText(shared)};
module.exports = (path) => (apart ??= require("${FILE}")((of) => shared[of](), require, moduleUrl).modules)[path]();`,
        resolveDir: packageFile("scripts"),
      }));
    },
  };
}

/** In the second file: takes modules of the first file from there, and records them. */
function sharedWith(inFirst: ReadonlySet<string>, shared: Set<string>): Plugin {
  return {
    name: "modules that are shared",
    setup({ onResolve, onLoad, resolve: find }) {
      onResolve({ filter: /./ }, async ({ path, kind, resolveDir, importer, pluginData }) => {
        if (pluginData === ITSELF || kind === "entry-point" || isLoadedLate(path) || path.startsWith("node:"))
          return undefined;
        const found = await find(path, { kind, resolveDir, importer, pluginData: ITSELF });
        if (!inFirst.has(found.path)) return undefined;
        shared.add(nameInPackage(found.path));
        return { path: nameInPackage(found.path), namespace: SHARED };
      });
      onLoad({ filter: /./, namespace: SHARED }, async ({ path }) => {
        const load = `shared(${JSON.stringify(path)})`;
        if (!path.endsWith(".ts")) return { contents: `module.exports = ${load};` };
        const names = await ownNames(path);
        if (OWN_LATE.includes(path)) return { contents: gettersOf(names, load) };
        const consts = names.map((name) => `export const ${name} = from.${name};`);
        return { contents: [`const from = ${load};`, ...consts, "export {};"].join("\n") };
      });
    },
  };
}

/** Each module is evaluated on first use. */
const modulesText = (names: Iterable<string>): string =>
  `{${[...names].map((name) => `${JSON.stringify(name)}: () => require(${JSON.stringify(packageFile(name))})`).join(",\n")}}`;
