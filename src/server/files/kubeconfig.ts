// The kubeconfig of the server. It never replaces the kubeconfig of a running server, nor a file that Egret has not
// written. The file stays when the server stops, for clients that read it again during a restart.
import { chmodSync, lstatSync } from "node:fs";
import { readFile, rm, stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { isObject } from "../../apimachinery/json/json.ts";
import { systemClock } from "../../apimachinery/meta/clock.ts";
import { refuseForeignFolder } from "../../apimachinery/meta/files/data-folder.ts";
import { isForeignLink, isOwn, OTHERS_MAY_WRITE } from "../../apimachinery/meta/files/ownership.ts";
import { writePrivateFile } from "../../apimachinery/meta/files/private-file.ts";
import { stateFolders } from "../../apimachinery/meta/files/user-folders.ts";
import { makeFolder } from "../../apimachinery/meta/folders.ts";
import { isThisMachine, readDiscovered } from "../../apiserver/http/kubeconfig/discovered.ts";
import {
  forgetInstance,
  INSTANCE_EXTENSION,
  type KeptInstance,
  keepInstance,
} from "../../apiserver/http/kubeconfig/instance.ts";
import { errorText, StartError } from "../errors.ts";

/** The file cannot be written. The message is one line for the user. */
export class KubeconfigError extends StartError {}

const PLAIN = /^[a-z][\w:/.+=-]*(?<!:)$/i;
const RESERVED = /^(true|false|yes|no|on|off|y|n|null)$/i;

export interface KubeconfigFacts {
  readonly url: string;
  /** PEM of the CA, for https. */
  readonly authority?: string | undefined;
  readonly token?: string | undefined;
  /** PEM of a client certificate and its key, for clients without a token. */
  readonly client?: { readonly certificate: string; readonly key: string } | undefined;
  /** ID of the record by which commands recognize the server. */
  readonly instance?: string | undefined;
}

/** The subset of a kubeconfig (v1 Config) in use: one cluster, one user, and a context with both. */
export interface Kubeconfig {
  readonly apiVersion: "v1";
  readonly kind: "Config";
  readonly clusters: readonly {
    readonly name: string;
    readonly cluster: {
      readonly server: string;
      readonly "certificate-authority-data"?: string;
      readonly "insecure-skip-tls-verify"?: boolean;
      readonly extensions?: readonly {
        readonly name: string;
        readonly extension: { readonly id: string };
      }[];
    };
  }[];
  readonly users: readonly { readonly name: string; readonly user: KubeconfigUser }[];
  readonly contexts: readonly {
    readonly name: string;
    readonly context: { readonly cluster: string; readonly user: string; readonly namespace: string };
  }[];
  readonly "current-context": string;
}

interface KubeconfigUser {
  readonly token?: string;
  readonly "client-certificate-data"?: string;
  readonly "client-key-data"?: string;
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

const userOf = ({ token, client }: KubeconfigFacts): KubeconfigUser => ({
  ...(token ? { token } : {}),
  ...(client === undefined
    ? {}
    : { "client-certificate-data": base64(client.certificate), "client-key-data": base64(client.key) }),
});

/** A kubeconfig with one context, named egret; with a token where the server requires one. */
export function kubeconfigFor(facts: KubeconfigFacts): Kubeconfig {
  const { url, authority, instance } = facts;
  const trust = authority
    ? { "certificate-authority-data": base64(authority) }
    : { "insecure-skip-tls-verify": true }; // without TLS; the JavaScript client requires it explicitly
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "egret", cluster: { server: url, ...trust, ...extensionsOf(instance) } }],
    users: [{ name: "egret", user: userOf(facts) }],
    contexts: [{ name: "egret", context: { cluster: "egret", user: "egret", namespace: "default" } }],
    "current-context": "egret",
  };
}

const extensionsOf = (id: string | undefined) =>
  id === undefined ? {} : { extensions: [{ name: INSTANCE_EXTENSION, extension: { id } }] };

/** The kubeconfig as YAML. */
export const kubeconfigText = (facts: KubeconfigFacts): string => yamlOf(kubeconfigFor(facts));

/** Writes the file, readable by its owner only. Throws KubeconfigError. */
export async function writeKubeconfig(path: string, facts: KubeconfigFacts): Promise<void> {
  try {
    refuseForeignFolder(path);
    makeFolder(dirname(path), FOLDER_MODE);
    await writeFileOf(path, kubeconfigText(facts));
  } catch (cause) {
    throw new KubeconfigError(`the kubeconfig ${path} cannot be written (${errorText(cause)})`, { cause });
  }
}

/**
 * Replaces the file atomically, so that a client reads the old file or the new one. Links in a discoverable folder
 * are replaced, not followed: a repository may contain a link to any file of its user.
 */
const writeFileOf = (path: string, text: string): Promise<void> =>
  writePrivateFile(path, text, { replacesLinks: isDiscoverable(path) });

/** Plain values as YAML, formatted like kubectl. Loading a YAML library would take a good part of the start time. */
function yamlOf(value: object, indent = ""): string {
  return Object.entries(value)
    .map(([key, member]) => `${indent}${key}:${memberOf(member, indent)}`)
    .join("");
}

function memberOf(value: unknown, indent: string): string {
  if (Array.isArray(value)) {
    const items = value.map((item) => yamlOf(item, `${indent}  `));
    return `\n${items.map((item) => `${indent}- ${item.slice(indent.length + 2)}`).join("")}`;
  }
  if (!isObject(value)) return ` ${scalarOf(value)}\n`;
  return Object.keys(value).length === 0 ? " {}\n" : `\n${yamlOf(value, `${indent}  `)}`;
}

/** Plain where no YAML parser can mistake it for another type; otherwise quoted: JSON strings are YAML. */
function scalarOf(value: unknown): string {
  const isPlain = typeof value === "string" && PLAIN.test(value) && !RESERVED.test(value);
  return isPlain ? value : JSON.stringify(value);
}

/** Time limit for a response of the server that another file names. */
const ANSWER_MS_MAX = 1000;
const SERVER = /^ +server: "?(\S+?)"?$/gm;
const IS_OWN = /^current-context: egret$/m;
const RECORD = /^ +id: "?([0-9a-f]+)"?$/m;
/** The first line after the server has stopped: a server that answers at that address is another one. */
const STOPPED = "# This server has stopped.\n";
const BYTES_MAX = 1024 * 1024;
const FOLDER_MODE = 0o700;

/** The folder of the working directory in which commands look for kubeconfigs. */
const DISCOVERED_FOLDER = ".egret";

export interface KubeconfigFile {
  readonly path: string;
  /** The requested path and the address of the running server that owns it. The file was written to another path. */
  readonly insteadOf?: { readonly path: string; readonly url: string };
  /** The identity record of the server in the file. */
  readonly instance?: KeptInstance;
  /** Why commands ignore the file unless it is named explicitly. */
  readonly problem?: string;
  /** Marks the file as one of a stopped server, unless it has changed since. Never rejects. */
  close(): Promise<void>;
}

/** Throws KubeconfigError. */
export async function openKubeconfigFile(path: string, facts: KubeconfigFacts): Promise<KubeconfigFile> {
  const before = await textOf(path).catch(() => ""); // writing it reports why it is unusable
  const holder = await holderOf(path, before, facts.url);
  const own = holder === undefined ? path : `${path}-${new URL(facts.url).port || "default"}`;
  const kept = isDiscoverable(own) ? keepInstance(facts, stateFolders()) : undefined;
  const instance = kept !== undefined && "id" in kept ? kept : undefined;
  const written = { ...facts, instance: instance?.id };
  try {
    await writeKubeconfig(own, written);
  } catch (error) {
    instance?.remove();
    throw error;
  }
  if (holder === undefined && isDiscoverable(path)) forgetInstance(before.match(RECORD)?.[1], stateFolders());
  const problem = kept === undefined ? undefined : problemOf(own, facts.url, kept);
  const text = kubeconfigText(written);
  const close = async () => {
    const now = await readFile(own, "utf8").catch(() => undefined);
    if (now !== text) return;
    const isNamed = holder === undefined;
    const closed = isNamed ? writeFileOf(own, STOPPED + text) : rm(own, { force: true });
    await closed.catch(() => undefined);
    if (!isNamed) instance?.remove();
  };
  return {
    ...{ path: own, close },
    ...(holder === undefined ? {} : { insteadOf: { path, url: holder } }),
    ...(instance === undefined ? {} : { instance }),
    ...(problem === undefined ? {} : { problem }),
  };
}

/** Whether commands discover a file at this path without being given its name. */
const isDiscoverable = (path: string): boolean =>
  basename(dirname(resolve(path))) === DISCOVERED_FOLDER && basename(path).startsWith("kubeconfig");

/** Why a command would ignore the written file. Removes other users' access to an own folder first. */
function problemOf(path: string, url: string, kept: ReturnType<typeof keepInstance>): string | undefined {
  if ("problems" in kept)
    return `no private folder for the record of this server (${kept.problems.join("; ")})`;
  if (!isThisMachine(new URL(url))) return `${new URL(url).host} is not an address of this machine`;
  try {
    const folder = dirname(resolve(path));
    const stats = lstatSync(folder);
    if (stats.isDirectory() && isOwn(stats) && (stats.mode & OTHERS_MAY_WRITE) !== 0)
      chmodSync(folder, stats.mode & 0o7777 & ~OTHERS_MAY_WRITE);
    readDiscovered(path);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

/** The URL of the running server that the file belongs to; undefined without one. Throws KubeconfigError. */
async function holderOf(path: string, text: string, ownUrl: string): Promise<string | undefined> {
  const servers = [...text.matchAll(SERVER)].map(([, url = ""]) => url);
  const [url] = servers;
  if (url === undefined) return undefined; // it names no server
  if (!IS_OWN.test(text) || servers.length > 1 || !URL.canParse(url))
    throw new KubeconfigError(
      `${path} is not a kubeconfig that egret has written: name another file by --kubeconfig`,
    );
  if (text.startsWith(STOPPED)) return undefined;
  // No other process can use this server's port: its former server has ended.
  if (new URL(url).host === new URL(ownUrl).host) return undefined;
  if (!isThisMachine(new URL(url)))
    throw new KubeconfigError(
      `${path} belongs to the server at ${url}, which is not on this machine: name another file by --kubeconfig`,
    );
  return (await answers(url)) ? url : undefined;
}

/** A link of another user is replaced and never read. */
async function textOf(path: string): Promise<string> {
  if (isForeignLink(path)) return "";
  const stats = await stat(path);
  return stats.isFile() && stats.size <= BYTES_MAX ? await readFile(path, "utf8") : "";
}

/**
 * Whether a server answers at the URL; a slow one counts. The file may belong to another user: only its URL is used,
 * and no credentials are sent.
 */
async function answers(url: string): Promise<boolean> {
  const { isAnswered } = await import("../../apiserver/http/kubeconfig/client.ts");
  const waiting = new AbortController();
  const [yes, no] = [() => true, () => false];
  const late = systemClock.sleep(ANSWER_MS_MAX, waiting.signal).then(yes, yes);
  const isThere = await Promise.race([isAnswered(url, "/livez", waiting.signal).then(yes, no), late]);
  waiting.abort();
  return isThere;
}
