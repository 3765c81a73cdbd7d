// Listening, what it is that is listened on, and TLS as the options want it.

import { join } from "node:path";
import type { HttpApp } from "../http/app.ts";
import type { TlsMaterial } from "../http/tls/self-made.ts";
import type { Clock } from "../meta/clock.ts";
import { StartError } from "./errors.ts";
import type { ServerOptions } from "./options/options.ts";

/** Throws StartError. */
export async function listen(app: HttpApp, host: string, port: number): Promise<void> {
  try {
    await app.fastify.listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE")
      throw new StartError(`${host}:${port} is in use already; take another with --listen`);
    if (code === "EACCES" || code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
      throw new StartError(`cannot listen on ${host}:${port} (${String(code)})`);
    }
    throw error;
  }
}

/** The URL of a server that listens: with its real port, and an IPv6 address in brackets. */
export function urlOf(app: HttpApp, host: string, scheme: string): string {
  const address = app.fastify.server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** What TLS takes is not loaded where it is not wanted. Throws CredentialsError. */
export async function openTls(
  options: ServerOptions,
  listenHost: string,
  clock: Clock,
): Promise<TlsMaterial | undefined> {
  if (!options.secure) return undefined;
  const selfMade = await import("../http/tls/self-made.ts");
  return selfMade.openTls({ folder: keyFolderOf(options), listenHost, nowMs: clock.now() });
}

/** Where keys are kept. */
export function keyFolderOf({ inMemory, dataDir }: ServerOptions): string | undefined {
  return inMemory ? undefined : join(dataDir, "pki");
}
