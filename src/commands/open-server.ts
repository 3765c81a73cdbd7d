// The server that a command starts. Whoever sits at a terminal is told how far it has come with what it loads.
import type { ServerOptions } from "../server/options/options.ts";
import { createServer, type Server, type ServerSurroundings } from "../server/server.ts";
import { Progress } from "./progress.ts";

/** Throws StartError. */
export async function openServer(options: ServerOptions, around: ServerSurroundings = {}): Promise<Server> {
  using progress = new Progress("loaded");
  const onLoad = progress.isSeen ? (done: number, total: number) => progress.show(done, total) : undefined;
  return await createServer(options, { ...around, onLoad });
}
