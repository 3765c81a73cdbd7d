import type { ServerOptions } from "../../src/server/options/options.ts";

/** A server that leaves nothing behind and says nothing: in memory, at a free port, without controllers. */
export const MEMORY_SERVER = {
  listen: "127.0.0.1:0",
  inMemory: true,
  kubeconfig: undefined,
  logLevel: "silent",
  controllers: "",
} satisfies Partial<ServerOptions>;
