// Server address and credentials of a kubeconfig. Credentials are in the files, or come from an exec plugin that the
// files name.
import { isObject, objectAt, textAt, textsAt } from "../../../apimachinery/json/json.ts";
import type { ExecCredential } from "./exec-credential.ts";
import { chosenEntries, type Entry, type KubeconfigChoice, RequestError, secretOf } from "./files.ts";
import type { Instance } from "./instance.ts";

/** Server address and credentials for requests. */
export interface Access {
  readonly server: string;
  readonly token: string | undefined;
  /** Impersonation headers: as-user, as-groups and the like. */
  readonly impersonation: Readonly<Record<string, string | string[]>>;
  readonly tls: TlsAccess;
  /** Whether responses may be compressed. */
  readonly compresses: boolean;
  /** When the credentials expire, in milliseconds since the epoch; undefined: unknown. */
  readonly expiresAtMs: number | undefined;
  /** Whether new credentials can be obtained after the server rejects these. */
  readonly canRenew: boolean;
  /** The identity that the server has to prove before it receives the credentials. */
  readonly instance?: Instance;
}

interface TlsAccess {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** Unsupported settings are rejected: without them requests would reach another server, or act as another user. */
const UNSUPPORTED_USER = ["auth-provider", "username"];

/** Throws RequestError. */
export async function readAccess(choice: KubeconfigChoice): Promise<Access> {
  return choice.isDiscovered === true ? await discoveredAccess(choice) : await namedAccess(choice);
}

/** For a kubeconfig that the command line does not name. Throws RequestError. */
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
