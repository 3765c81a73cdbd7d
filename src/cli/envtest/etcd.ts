// The `etcd` executable of an envtest folder. Suites start etcd, wait until it is healthy, and pass its URL to a
// kube-apiserver. This program stores no keys: it names a folder to the API server, which keeps its store there, and
// removes the folder at its end. A restarted API server finds its state there.
import { mkdir, rm, rmdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { listenPlainly, type PlainAnswer, type PlainServer } from "../../apiserver/http/plain-server.ts";
import { errorText, StartError, UsageError } from "../../server/errors.ts";
import type { Environment } from "../../server/options/read-command-line.ts";
import { ETCD_FLAGS } from "./etcd-flags.ts";
import { refuseFlags } from "./flag-effects.ts";
import { flagTable } from "./flag-help.ts";
import { lastOf, listOf, readGoFlags } from "./go-flags.ts";
import { printed, stopped } from "./run-program.ts";
import { STORE_PATH } from "./store-folder.ts";

/** The emulated version of etcd. */
const ETCD_VERSION = "3.6.8";
const OWNER_ONLY = 0o077;
const DEFAULT_CLIENT_URL = "http://localhost:2379";

/** Resolves with the exit code after a signal or the end of the parent process. Throws UsageError and StartError. */
export async function etcd(args: readonly string[], env: Environment): Promise<number> {
  const values = readGoFlags(ETCD_FLAGS, args, { oneDash: "name" });
  if (values.has("help")) return printed(helpText());
  if (values.has("version")) return printed(`etcd Version: ${ETCD_VERSION}\n`);
  refuseFlags(ETCD_FLAGS, values);
  const urls = listOf(values, "listen-client-urls");
  const listeners = (urls.length === 0 ? [DEFAULT_CLIENT_URL] : urls).map(readClientUrl);
  const dataDir = resolve(lastOf(values, "data-dir") ?? `${lastOf(values, "name") ?? "default"}.etcd`);
  process.umask(OWNER_ONLY);
  const end = stopped(env);
  await using folder = await makeStoreFolder(dataDir);
  await using _servers = await listenAll(listeners, answersOf(folder.path));
  await end;
  return 0;
}

const helpText = (): string => `Usage: etcd [flags]

Holds the place of an etcd ${ETCD_VERSION} beside the kube-apiserver of this folder, which keeps its objects itself.

${flagTable(ETCD_FLAGS)}`;

interface Listener {
  readonly host: string;
  readonly port: number;
}

function readClientUrl(text: string): Listener {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.port === "")
    throw new UsageError(`--listen-client-urls: ${text} is no URL with a port`);
  if (url.protocol !== "http:") throw new UsageError(`--listen-client-urls: ${text}: only http is served`);
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port) };
}

/** Creates the folder of the API server's store below the data folder. Disposal removes what was created. */
async function makeStoreFolder(dataDir: string): Promise<{ path: string } & AsyncDisposable> {
  const path = join(dataDir, "egret-store");
  try {
    const made = await mkdir(dataDir, { recursive: true });
    await rm(path, { recursive: true, force: true }); // left by a killed process
    await mkdir(path);
    return {
      path,
      [Symbol.asyncDispose]: async () => {
        await rm(path, { recursive: true, force: true });
        if (made !== undefined) await removeEmpty(dataDir, dirname(made));
      },
    };
  } catch (cause) {
    throw new StartError(`cannot write to --data-dir ${dataDir} (${errorText(cause)})`, { cause });
  }
}

/** Removes the folder and its empty parents, excluding `last`. */
async function removeEmpty(folder: string, last: string): Promise<void> {
  for (let at = folder; at !== last; at = dirname(at)) {
    try {
      await rmdir(at);
    } catch {
      return;
    }
  }
}

async function listenAll(
  listeners: readonly Listener[],
  answers: (path: string) => PlainAnswer,
): Promise<AsyncDisposable> {
  const servers: PlainServer[] = [];
  const close = async () => {
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
  };
  try {
    for (const { host, port } of listeners) servers.push(await listenPlainly(host, port, answers));
  } catch (cause) {
    await close();
    throw new StartError(`cannot listen on a client URL (${errorText(cause)})`, { cause });
  }
  return { [Symbol.asyncDispose]: close };
}

const json = (value: object): PlainAnswer => ({
  code: 200,
  type: "application/json",
  text: `${JSON.stringify(value)}\n`,
});

const plain = (code: number, text: string): PlainAnswer => ({
  code,
  type: "text/plain; charset=utf-8",
  text,
});

/** The health and version paths of etcd, and the path that returns the folder. */
function answersOf(folder: string): (path: string) => PlainAnswer {
  const answers: ReadonlyMap<string, PlainAnswer> = new Map([
    ["/health", json({ health: "true", reason: "" })],
    ["/readyz", plain(200, "ok\n")],
    ["/livez", plain(200, "ok\n")],
    ["/version", json({ etcdserver: ETCD_VERSION, etcdcluster: "3.6.0", storage: "3.6.0" })],
    [STORE_PATH, json({ folder })],
  ]);
  return (path) => answers.get(path) ?? plain(404, "404 page not found\n");
}
