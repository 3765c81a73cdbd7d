// Starts the built server in this process, with the options of each case file. Only this file knows how the server is
// started, and it uses dist/ to test the shipped code.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Etcd } from "../support/etcd.ts";

const builtServer = join(import.meta.dirname, "../../dist/server.js");

interface ServerOptions {
  readonly listen: string;
  readonly inMemory?: boolean;
  readonly store?: string;
  /** No kubeconfig is written. */
  readonly kubeconfig: undefined;
  /** Compacts revision 1, which some cases read. */
  readonly compactAtStart: boolean;
  /** As kube-controller-manager's flag: `*` enables all, a name only that one, -name disables that one. */
  readonly controllers: string;
  readonly logLevel: string;
  readonly tokenAuthFile: string;
}

interface EngineOptions {
  readonly zones: "external";
  readonly clusterSubnets: string;
  readonly platform?: "aws";
  readonly cloud?: "external";
}

type FileOptions = Pick<ServerOptions, "controllers"> & Partial<EngineOptions>;

interface ServerModule {
  createServer(options: ServerOptions): Promise<{ readonly url: string; close(): Promise<void> }>;
}

export interface StartedServer extends AsyncDisposable {
  readonly url: string;
  /** The administrator's token. */
  readonly token: string;
}

/** The users of the recorded server; with tokens the server authorizes requests, as that one did. */
const tokenFile = join(import.meta.dirname, "tokens.csv");
const ADMIN_TOKEN = "t";

/** The files that run by default: all. */
export const STANDARD_FILES = [
  "crud",
  "patch",
  "listwatch",
  "discovery",
  "builtin",
  "admission",
  "kinds",
  "engine",
  "engine-cloud",
  "texts",
  "fuzz",
  "security",
  "webhooks",
] as const;

/** The two controllers of kube-controller-manager that ran beside the recorded server. */
const API: FileOptions = { controllers: "namespace,garbage-collector" };

/** The quotas of these cases were counted by a real controller. */
const QUOTAS: FileOptions = { controllers: "namespace,garbage-collector,resourcequota" };

/** The recorded cluster manager had these networks. Nodes were not simulated, and no kubelet ended their pods. */
const ENGINE: FileOptions = {
  controllers: "*,-pod-termination",
  zones: "external",
  clusterSubnets: "10.128.0.0/14/23,fd01::/48/64",
};

const OPTIONS_BY_FILE: Readonly<Record<string, FileOptions>> = {
  crud: API,
  patch: API,
  listwatch: API,
  discovery: API,
  builtin: API,
  admission: QUOTAS,
  kinds: API,
  texts: API,
  fuzz: API,
  security: API,
  webhooks: { controllers: "" },
  engine: ENGINE,
  "engine-cloud": { ...ENGINE, platform: "aws", cloud: "external" },
};

/** The storage backend of the server. */
export type KeptIn = "memory" | "etcd";

export async function startEgret(file: string, keptIn: KeptIn = "memory"): Promise<StartedServer> {
  const options = OPTIONS_BY_FILE[file];
  if (!options) throw new Error(`no server options are known for the case file ${file}`);
  if (!existsSync(builtServer)) throw new Error("dist/server.js is missing; `npm run build` makes it");
  const module = (await import(pathToFileURL(builtServer).href)) as ServerModule; // not there when this is compiled
  const etcd = keptIn === "etcd" ? await Etcd.start() : undefined;
  const server = await module.createServer({
    listen: "127.0.0.1:0",
    ...(etcd === undefined ? { inMemory: true } : { store: `etcd://${etcd.endpoint}` }),
    kubeconfig: undefined,
    compactAtStart: true,
    logLevel: "silent",
    ...{ tokenAuthFile: tokenFile, secure: false },
    ...options,
  });
  const close = async () => {
    await server.close();
    await etcd?.stop();
  };
  return { url: server.url, token: ADMIN_TOKEN, [Symbol.asyncDispose]: close };
}
