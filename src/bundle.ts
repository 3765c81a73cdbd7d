// Entry point of the bundle: the command, the server and the API for tests; the executable of an envtest folder; and
// for the loading module, when to write the compile cache.

import { main } from "./main.ts";
import { onceServing } from "./server/launch/once-serving.ts";
import type { Environment } from "./server/options/read-command-line.ts";
import { createServer } from "./server/server.ts";
import * as testing from "./testing/start-egret.ts";

/** The executable of an envtest folder. */
const kubeApiserver = async (args: readonly string[], env: Environment): Promise<number> =>
  (await import("./cli/envtest/kube-apiserver.ts")).runKubeApiserver(args, env);

export { createServer, kubeApiserver, main, onceServing, testing };
