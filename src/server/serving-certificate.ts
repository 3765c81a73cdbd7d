// TLS as the options want it, and where keys are kept.
import { join } from "node:path";
import type { TlsMaterial } from "../http/tls/self-made.ts";
import type { Clock } from "../meta/clock.ts";
import type { ServerOptions } from "./options/options.ts";

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
