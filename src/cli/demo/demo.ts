// `egret demo`: a simulated cluster with the workloads of a shop, and with nodes that fail and recover.

import process from "node:process";
import { systemClock } from "../../apimachinery/meta/clock.ts";
import { UsageError } from "../../server/errors.ts";
import { DEFAULT_KUBECONFIG } from "../../server/options/option-table.ts";
import { readOptions, type ServerOptions } from "../../server/options/options.ts";
import type { CommandLine } from "../../server/options/read-command-line.ts";
import { signalled } from "../../server/process-end.ts";
import type { Server } from "../../server/server.ts";
import { isKept } from "../../server/storage-backend.ts";
import { print } from "../output.ts";
import { openServer, warn, whereToLook } from "../serve.ts";
import { Progress } from "../terminal.ts";
import { failAndRecover, layObjects, untilReady } from "./lay.ts";
import { countsOf, SIZES, type Size } from "./objects.ts";

/** The umask of created files: access for their owner only. */
const OWNER_ONLY = 0o077;

/** Resolves with the exit code once the server has stopped. Throws UsageError and StartError. */
export async function demo({ values, words }: CommandLine): Promise<number> {
  if (words.length > 0) throw new UsageError(`egret demo takes flags alone, and no ${words[0]}`);
  const size = SIZES.find((one) => one === values.get("size")) ?? "small";
  const options = readOptions(new Map([...values, ["cluster", true], ["in-memory", !isKept(values)]]));
  process.umask(OWNER_ONLY); // for the files of LevelDB
  const stopping = new AbortController();
  const stopped = signalled().then(() => stopping.abort());
  const server = await openServer(options);
  try {
    warn(server, options);
    print(greeting(server, size, options));
    await lay(server, { size, settings: options, signal: stopping.signal });
    if (!stopping.signal.aborted) print(hints(server));
    await failAndRecover(server, { clock: systemClock, signal: stopping.signal, tell });
    await stopped;
  } finally {
    await server.close();
  }
  return server.storeFailure() === undefined ? 0 : 1;
}

/** Printed before the objects are created, which takes some time. */
function greeting({ url, kubeconfigFile }: Server, size: Size, options: ServerOptions): string {
  const { nodes, pods } = countsOf(size);
  const path = kubeconfigFile?.path;
  const file = path === undefined ? "No kubeconfig was written" : `kubeconfig: ${path}`;
  const look = whereToLook(url, path ?? "", options);
  return `Egret listens on ${url}\n${file}\n${look}${nodes} nodes and ${pods} pods come to life\n`;
}

interface Laying {
  readonly size: Size;
  readonly settings: ServerOptions;
  readonly signal: AbortSignal;
}

/** Creates the objects and reports progress: a large cluster takes some time. */
async function lay(server: Server, { size, settings, signal }: Laying): Promise<void> {
  const began = systemClock.now();
  const isNew = await layObjects(server, size, settings);
  using progress = new Progress("pods that are ready:");
  let pods = 0;
  await untilReady(server, signal, ({ ready, wanted }) => {
    progress.show(ready, wanted);
    pods = ready;
  });
  progress.clear();
  const seconds = ((systemClock.now() - began) / 1000).toFixed(1);
  print(isNew ? `${pods} pods run, after ${seconds} s\n` : `${pods} pods run, as they did before\n`);
}

const tell = (text: string): void => {
  const time = new Date(systemClock.now()).toISOString().slice(11, 19);
  print(`${time} ${text}\n`);
};

const TRY: readonly (readonly [line: string, what: string])[] = [
  ["kubectl get nodes,eip,egressservices -A", "who has which address"],
  ["kubectl get pods -A -o wide --watch", "pods go elsewhere when a node fails"],
  ["egret explain egressip partner", "why one address has no node"],
  ["egret trace --from ns/payments --to 203.0.113.9:443", "who may talk to the bank, and by which address"],
  ["egret plan --every node", "what would break if a node went"],
  ["egret nodes fail worker-2", "have one fail; egret nodes recover worker-2"],
  ["kubectl -n shop scale deployment web --replicas=12", ""],
  ["egret case save now", "the present state as a regression test"],
];

/** Commands to try next. */
export function hints({ kubeconfigFile }: Pick<Server, "kubeconfigFile">): string {
  const path = kubeconfigFile?.path;
  const shown =
    path === undefined ? [] : [`export KUBECONFIG=${path === DEFAULT_KUBECONFIG ? "$PWD/" : ""}${path}`];
  const lines = [
    ...shown,
    ...TRY.map(([line, what]) => `${line.padEnd(52)}${what === "" ? "" : `# ${what}`}`.trimEnd()),
  ];
  return [
    "",
    "Try:",
    ...lines.map((line) => `  ${line}`),
    "",
    "A node fails now and then. Ctrl-C ends it.",
    "",
  ].join("\n");
}
