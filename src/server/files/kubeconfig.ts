// The kubeconfig with which kubectl finds the server, and its file. That never takes the place of that of a server that
// lives, nor of one that Egret has not written, and it goes with the server, so that no file names a dead port.
import { readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { systemClock } from "../../meta/clock.ts";
import { makeFolder } from "../../meta/folders.ts";
import { isObject } from "../../meta/json.ts";
import { errorText, StartError } from "../errors.ts";
import { writePrivateFile } from "./private-file.ts";

/** The file cannot be written; the message is one line for the person who named it. */
export class KubeconfigError extends StartError {}

const PLAIN = /^[a-z][\w:/.+=-]*(?<!:)$/i;
const RESERVED = /^(true|false|yes|no|on|off|y|n|null)$/i;

export interface KubeconfigFacts {
  readonly url: string;
  /** PEM of the certificate authority, for https. */
  readonly authority?: string | undefined;
  readonly token?: string | undefined;
}

/** What of a kubeconfig (v1 Config) there is here: one cluster, one user, and a context with both. */
export interface Kubeconfig {
  readonly apiVersion: "v1";
  readonly kind: "Config";
  readonly clusters: readonly {
    readonly name: string;
    readonly cluster: {
      readonly server: string;
      readonly "certificate-authority-data"?: string;
      readonly "insecure-skip-tls-verify"?: boolean;
    };
  }[];
  readonly users: readonly { readonly name: string; readonly user: { readonly token?: string } }[];
  readonly contexts: readonly {
    readonly name: string;
    readonly context: { readonly cluster: string; readonly user: string; readonly namespace: string };
  }[];
  readonly "current-context": string;
}

/** A kubeconfig with one context, named egret; with a token where the server asks for one. */
export function kubeconfigFor({ url, authority, token }: KubeconfigFacts): Kubeconfig {
  const trust = authority
    ? { "certificate-authority-data": Buffer.from(authority).toString("base64") }
    : { "insecure-skip-tls-verify": true }; // without TLS; the JavaScript client asks for it in words
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "egret", cluster: { server: url, ...trust } }],
    users: [{ name: "egret", user: token ? { token } : {} }],
    contexts: [{ name: "egret", context: { cluster: "egret", user: "egret", namespace: "default" } }],
    "current-context": "egret",
  };
}

/** The kubeconfig as the file has it. */
export const kubeconfigText = (facts: KubeconfigFacts): string => yamlOf(kubeconfigFor(facts));

/** Writes the file, readable by its owner alone. Throws KubeconfigError. */
export async function writeKubeconfig(path: string, facts: KubeconfigFacts): Promise<void> {
  try {
    makeFolder(dirname(path));
    await writePrivateFile(path, kubeconfigText(facts));
  } catch (cause) {
    throw new KubeconfigError(`the kubeconfig ${path} cannot be written (${errorText(cause)})`, { cause });
  }
}

/** Plain values as YAML, in the way that kubectl writes them. The library for it would take a good part of a start to load. */
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

/** As it is where no reader can take it for something else; in quotes JSON is YAML. */
function scalarOf(value: unknown): string {
  const isPlain = typeof value === "string" && PLAIN.test(value) && !RESERVED.test(value);
  return isPlain ? value : JSON.stringify(value);
}

/** So long the server of another file may take to say that it lives. */
const ANSWER_MS_MAX = 1000;
const SERVER = /^ +server: "?(\S+?)"?$/gm;
const IS_OWN = /^current-context: egret$/m;

export interface KubeconfigFile {
  readonly path: string;
  /** Where the file that was asked for is another server's: that file, and the address of that server. */
  readonly insteadOf?: { readonly path: string; readonly url: string };
  /** Takes the file away, unless it is no longer what was written. Never rejects. */
  remove(): Promise<void>;
}

/** Throws KubeconfigError. */
export async function openKubeconfigFile(path: string, facts: KubeconfigFacts): Promise<KubeconfigFile> {
  const holder = await holderOf(path, facts.url);
  const own = holder === undefined ? path : `${path}-${new URL(facts.url).port || "default"}`;
  await writeKubeconfig(own, facts);
  const text = kubeconfigText(facts);
  const remove = async () => {
    const now = await readFile(own, "utf8").catch(() => undefined);
    if (now === text) await rm(own, { force: true }).catch(() => undefined);
  };
  return { path: own, remove, ...(holder === undefined ? {} : { insteadOf: { path, url: holder } }) };
}

/** The address of the server that the file belongs to and that lives; undefined when nobody's file is there. */
async function holderOf(path: string, ownUrl: string): Promise<string | undefined> {
  const text = await readFile(path, "utf8").catch(() => ""); // what cannot be read is told when it is written
  const servers = [...text.matchAll(SERVER)].map(([, url = ""]) => url);
  const [url] = servers;
  if (url === undefined) return undefined; // it leads nowhere
  if (!IS_OWN.test(text) || servers.length > 1)
    throw new KubeconfigError(
      `${path} is not a kubeconfig that egret has written: name another file by --kubeconfig`,
    );
  // Nobody else can have our own port: a server that had it before is gone.
  if (new URL(url).host === new URL(ownUrl).host) return undefined;
  return (await answers(path)) ? url : undefined;
}

/** Whether the server of a kubeconfig is there. Who does not refuse, but is slow to answer, is. */
async function answers(path: string): Promise<boolean> {
  const { requestWith } = await import("../../http/kubeconfig/client.ts");
  const waiting = new AbortController();
  const [yes, no] = [() => true, () => false];
  const late = systemClock.sleep(ANSWER_MS_MAX, waiting.signal).then(yes, yes);
  const request = { method: "GET", path: "/livez", signal: waiting.signal } as const;
  const isThere = await Promise.race([requestWith(path, request).then(yes, no), late]);
  waiting.abort();
  return isThere;
}
