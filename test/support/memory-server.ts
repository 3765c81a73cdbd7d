import type { ServerOptions } from "../../src/server/options/options.ts";

/** Options of a server without files and logs: in memory, on a free port, without controllers. */
export const MEMORY_SERVER = {
  listen: "127.0.0.1:0",
  inMemory: true,
  kubeconfig: undefined,
  logLevel: "silent",
  controllers: "",
} satisfies Partial<ServerOptions>;
