// Connection to etcd: certificates, user, and error messages of a refused connection.
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { EtcdClient, type EtcdTls } from "../storage/etcd/etcd-client.ts";
import type { StoreError } from "../storage/store.ts";
import { errorText, StartError } from "./errors.ts";
import type { ServerOptions } from "./options/options.ts";

/** Rejects with StartError. */
export async function etcdClientOf(
  endpoints: readonly string[],
  options: ServerOptions,
): Promise<EtcdClient> {
  const { etcdUser: user, etcdPasswordFile } = options;
  const tls = await readTls(options);
  const password = user === undefined ? "" : String((await readGiven(etcdPasswordFile)) ?? "").trimEnd();
  return new EtcdClient({ endpoints, tls, login: user === undefined ? undefined : { user, password } });
}

export async function readGiven(path: string | undefined): Promise<Buffer | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path);
  } catch (error) {
    throw new StartError(errorText(error), { cause: error });
  }
}

/** The one-line error of a failed etcd store; `prefixes` are those of its keys. */
export function refusalOf(error: StoreError, location: string, prefixes: readonly string[]): string {
  const hint =
    Object.entries({
      "user name is empty":
        ": name one with --etcd-user and --etcd-password-file, or by a client certificate",
      "permission denied": `: its user has to read all keys, and to write those below ${prefixes.join(" and ")}`,
    }).find(([words]) => error.message.endsWith(words))?.[1] ?? "";
  return `${location}: ${error.message}${hint}`;
}

async function readTls({
  etcdCafile,
  etcdCertfile,
  etcdKeyfile,
}: ServerOptions): Promise<EtcdTls | undefined> {
  if (etcdCafile === undefined && etcdCertfile === undefined && etcdKeyfile === undefined) return undefined;
  if ((etcdCertfile === undefined) !== (etcdKeyfile === undefined)) {
    throw new StartError("--etcd-certfile and --etcd-keyfile belong together");
  }
  const [ca, cert, key] = await Promise.all([etcdCafile, etcdCertfile, etcdKeyfile].map(readGiven));
  if (ca !== undefined) mustFit(`--etcd-cafile ${etcdCafile}`, () => new X509Certificate(ca));
  if (cert !== undefined)
    mustFit(`--etcd-certfile ${etcdCertfile} and --etcd-keyfile ${etcdKeyfile}`, () =>
      createSecureContext({ cert, key }),
    );
  return { ca, cert, key };
}

/** Fails early, because later TLS errors do not name the file. */
function mustFit(what: string, read: () => unknown): void {
  try {
    read();
  } catch (error) {
    throw new StartError(`${what}: ${errorText(error)}`, { cause: error });
  }
}
