// Listens on an address or a socket, and loads TLS if the options require it.

import { join } from "node:path";
import { systemClock } from "../apimachinery/meta/clock.ts";
import type { HttpApp } from "../apiserver/http/app.ts";
import { StartError } from "./errors.ts";
import { parseListen } from "./options/option-table.ts";
import type { ServerOptions } from "./options/options.ts";
import { storageBackendOf } from "./storage-backend.ts";
import type { TlsMaterial } from "./tls.ts";

/** Returns the URL with the actual port; an IPv6 address is in brackets. Throws StartError. */
export async function listen(
  { fastify }: HttpApp,
  { listen, secure }: ServerOptions,
  socketPath?: string,
): Promise<string> {
  if (socketPath !== undefined) {
    await fastify.listen({ path: socketPath });
    return "http://localhost";
  }
  const { host, port } = parseListen(listen);
  try {
    await fastify.listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE") throw new StartError(`${host}:${port} is in use already: choose another port`);
    if (code === "EACCES" || code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
      throw new StartError(`cannot listen on ${host}:${port} (${String(code)})`);
    }
    throw error;
  }
  const address = fastify.server.address();
  const realPort = typeof address === "object" && address !== null ? address.port : 0;
  return `${secure ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${realPort}`;
}

/** Loads the TLS modules only if they are needed. Throws CredentialsError. */
export async function openTls(options: ServerOptions): Promise<TlsMaterial | undefined> {
  if (!options.secure) return undefined;
  const tls = await import("./tls.ts");
  return tls.openTls(options, keyFolderOf(options), systemClock.now());
}

/** The folder of keys. With a store in etcd, keys are local to this host. */
export function keyFolderOf(options: ServerOptions): string | undefined {
  const place = storageBackendOf(options);
  if (place.type === "memory") return undefined;
  return join(place.type === "level" ? place.folder : options.dataDir, "pki");
}
