// How the server of a kubeconfig is reached, and with which credentials: those that stand in the files, or those that a
// program brings which the files name.
import { isObject, objectAt, textAt, textsAt } from "../../meta/json.ts";
import type { ExecCredential } from "./exec-credential.ts";
import { chosenEntries, type Entry, type KubeconfigChoice, RequestError, secretOf } from "./files.ts";
import type { Instance } from "./instance.ts";

/** How a server is reached, once. */
export interface Access {
  readonly server: string;
  readonly token: string | undefined;
  /** As another one asks on whose behalf the user asks. */
  readonly impersonation: Readonly<Record<string, string | string[]>>;
  readonly tls: TlsAccess;
  /** Whether answers may come compressed. */
  readonly compresses: boolean;
  /** Milliseconds since the epoch at which the credentials are of no use any more; undefined: nobody says. */
  readonly expiresAtMs: number | undefined;
  /** Whether other credentials could be had than those which a server has refused. */
  readonly canRenew: boolean;
  /** The server has to prove that it is this one before it gets the credentials. */
  readonly instance?: Instance;
}

interface TlsAccess {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** What is not supported is refused: asking without it would ask as somebody else, or another server. */
const UNSUPPORTED_USER = ["auth-provider", "username"];

/** Throws RequestError. */
export async function readAccess(choice: KubeconfigChoice): Promise<Access> {
  return choice.isDiscovered === true ? await discoveredAccess(choice) : await namedAccess(choice);
}

/** Of a kubeconfig that the command line does not name. Throws RequestError. */
async function discoveredAccess(choice: KubeconfigChoice): Promise<Access> {
  const { instanceOf, readDiscovered } = await import("./discovered.ts");
  const entries = await chosenEntries(choice, readDiscovered);
  const instance = instanceOf(entries);
  const { cluster, user } = entries;
  const ca = await secretOf(cluster, "certificate-authority-data", "");
  return {
    server: textAt(cluster.value, "server"),
    token: textAt(user?.value, "token") || undefined,
    impersonation: {},
    tls: { ca, cert: undefined, key: undefined },
    compresses: cluster.value["disable-compression"] !== true,
    expiresAtMs: undefined,
    canRenew: false,
    instance,
  };
}

async function namedAccess(choice: KubeconfigChoice): Promise<Access> {
  const { cluster, user } = await chosenEntries(choice);
  const name = choice.paths.join(", ");
  for (const way of UNSUPPORTED_USER)
    if (user?.value[way] !== undefined)
      throw new RequestError(
        `the kubeconfig ${name} has ${way}, which is not supported here; use a token, a certificate or exec`,
      );
  if (textAt(cluster.value, "proxy-url") !== "")
    throw new RequestError(`the kubeconfig ${name} has proxy-url, which is not supported here`);
  const token = await secretOf(user, "token", "tokenFile");
  const isExec = token === undefined && isObject(user?.value["exec"]);
  const brought: ExecCredential =
    user && isExec ? await (await import("./exec-credential.ts")).execCredential(cluster, user) : {};
  return {
    server: textAt(cluster.value, "server"),
    token: token ?? brought.token,
    impersonation: impersonationOf(user),
    tls: await tlsOf(cluster, user, brought),
    compresses: cluster.value["disable-compression"] !== true,
    expiresAtMs: brought.expiresAtMs,
    canRenew: isExec || textAt(user?.value, "tokenFile") !== "",
  };
}

async function tlsOf(cluster: Entry, user: Entry | undefined, brought: ExecCredential): Promise<TlsAccess> {
  const servername = textAt(cluster.value, "tls-server-name");
  return {
    ca: await secretOf(cluster, "certificate-authority-data", "certificate-authority"),
    cert: brought.cert ?? (await secretOf(user, "client-certificate-data", "client-certificate")),
    key: brought.key ?? (await secretOf(user, "client-key-data", "client-key")),
    ...(servername === "" ? {} : { servername }),
    ...(cluster.value["insecure-skip-tls-verify"] === true ? { rejectUnauthorized: false } : {}),
  };
}

function impersonationOf(user: Entry | undefined): Readonly<Record<string, string | string[]>> {
  const [as, uid] = ["as", "as-uid"].map((member) => textAt(user?.value, member));
  const groups = textsAt(user?.value, "as-groups");
  const extra = objectAt(user?.value, "as-user-extra") ?? {};
  return {
    ...(as ? { "impersonate-user": as } : {}),
    ...(uid ? { "impersonate-uid": uid } : {}),
    ...(groups.length > 0 ? { "impersonate-group": groups } : {}),
    ...Object.fromEntries(
      Object.keys(extra).map((key) => [
        `impersonate-extra-${encodeURIComponent(key.toLowerCase())}`,
        textsAt(extra, key),
      ]),
    ),
  };
}
