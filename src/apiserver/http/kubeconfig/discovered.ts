// Rules for a kubeconfig that is discovered in the working directory: only one that a server of the same user has
// written is used. It may name no program, no other file and no other host, and the server must prove its identity
// before it receives a credential. kubectl never reads the working directory; an explicitly named kubeconfig is read
// as by kubectl.
import { lstatSync, statSync } from "node:fs";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { dirname, resolve } from "node:path";
import { isObject, objectAt, objectsAt, textAt } from "../../../apimachinery/json/json.ts";
import { isOwn, isOwnAlone, isTrustedOwner } from "../../../apimachinery/meta/files/ownership.ts";
import { ForeignFileError, readTrustedFile } from "../../../apimachinery/meta/files/private-file.ts";
import { stateFolders } from "../../../apimachinery/meta/files/user-folders.ts";
import { type ChosenEntries, type Entry, RequestError } from "./files.ts";
import { digestOf, findInstance, INSTANCE_EXTENSION, type Instance } from "./instance.ts";

/** A kubeconfig written by Egret has about 2 KB. */
const BYTES_MAX = 256 * 1024;
const CLUSTER_MEMBERS = new Set([
  ...[
    "server",
    "certificate-authority-data",
    "extensions",
    "insecure-skip-tls-verify",
    "disable-compression",
  ],
]);
const USER_MEMBERS = new Set(["token", "client-certificate-data", "client-key-data"]);

function refuse(path: string, why: string): RequestError {
  return new RequestError(
    `the kubeconfig ${path} of the working directory is not used: ${why}. Accepted there is only a file that a server of yours has written; name another one with --kubeconfig`,
  );
}

/** The text of a discovered kubeconfig. Throws RequestError. */
export function readDiscovered(path: string): string {
  try {
    refuseForeignFolder(path);
    const file = readTrustedFile(path, BYTES_MAX);
    if (file === undefined) throw new RequestError(`the kubeconfig ${path} cannot be read: it is not there`);
    if (!isOwn(file)) throw refuse(path, `it belongs to another user (uid ${file.uid})`);
    if (!isOwnAlone(file)) throw refuse(path, `other users may write to it (mode ${octal(file.mode)})`);
    return file.text;
  } catch (cause) {
    if (cause instanceof ForeignFileError) throw refuse(path, cause.message);
    if (cause instanceof RequestError) throw cause;
    throw new RequestError(`the kubeconfig ${path} cannot be read`, { cause });
  }
}

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, "0");

/** Rejects a folder that is a link of another user, or that another user may change. */
function refuseForeignFolder(path: string): void {
  const folder = dirname(resolve(path));
  const link = lstatSync(folder, { throwIfNoEntry: false });
  if (link === undefined) return;
  if (link.isSymbolicLink() && !isTrustedOwner(link))
    throw refuse(path, `${folder} is a link of another user (uid ${link.uid})`);
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats !== undefined && !isOwnAlone(stats))
    throw refuse(path, `${folder} belongs to another user, or others may write to it`);
}

/** The record of the server that has written these entries. Throws RequestError. */
export function instanceOf({ cluster, user }: ChosenEntries, folders = stateFolders()): Instance {
  refuseMembers(cluster, CLUSTER_MEMBERS);
  if (user !== undefined) refuseMembers(user, USER_MEMBERS);
  const { path } = cluster;
  const url = urlOf(path, textAt(cluster.value, "server"));
  if (url.protocol === "https:" && cluster.value["insecure-skip-tls-verify"] !== undefined)
    throw refuse(path, "it has insecure-skip-tls-verify");
  if (!isThisMachine(url)) throw refuse(path, `its server ${url.host} is not on this machine`);
  const id = instanceIdOf(cluster);
  if (id === "") throw refuse(path, "no server of Egret has written it");
  const instance = findInstance(id, folders);
  if (instance === undefined)
    throw refuse(
      path,
      "no server of yours has written it: it was copied, unpacked or is of an earlier start",
    );
  const encoded = textAt(cluster.value, "certificate-authority-data");
  const facts = {
    url: textAt(cluster.value, "server"),
    authority: Buffer.from(encoded, "base64").toString("utf8"),
    token: textAt(user?.value, "token"),
  };
  if (digestOf(facts) !== instance.digest)
    throw refuse(path, "its server, certificate authority or token are not what the server has written");
  return instance;
}

function instanceIdOf({ value }: Entry): string {
  const extension = objectsAt(value, "extensions").find(({ name }) => name === INSTANCE_EXTENSION);
  return textAt(objectAt(extension, "extension"), "id");
}

/** Throws RequestError. */
function refuseMembers({ path, name, value }: Entry, known: ReadonlySet<string>): void {
  const unknown = isObject(value) ? Object.keys(value).find((member) => !known.has(member)) : undefined;
  if (unknown !== undefined) throw refuse(path, `${unknown} of ${name} is not allowed there`);
}

/** Throws RequestError. */
function urlOf(path: string, server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  const isPlain = url?.username === "" && url.password === "" && url.pathname === "/" && url.search === "";
  if (url !== undefined && isPlain && /^https?:$/.test(url.protocol)) return url;
  throw refuse(path, `its server is no address of the form http://HOST:PORT or https://HOST:PORT`);
}

/**
 * Whether the host is loopback, all interfaces, or an address of an interface. Names other than localhost are not
 * resolved.
 */
export function isThisMachine({ hostname }: Pick<URL, "hostname">): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  if (isLoopbackAddress(host) || host === "0.0.0.0" || host === "::") return true;
  if (isIP(host) === 0) return false;
  return Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === host));
}

/** The host of a URL without brackets. URLs have canonical addresses. */
export function isLoopbackAddress(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}
