// The kubeconfig with which kubectl finds the server.
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { isObject } from "../../meta/json.ts";
import { writePrivateFile } from "./private-file.ts";

/** The file cannot be written; the message is one line for the person who named it. */
export class KubeconfigError extends Error {}

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
    await mkdir(dirname(path), { recursive: true });
    await writePrivateFile(path, kubeconfigText(facts));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new KubeconfigError(`the kubeconfig ${path} cannot be written (${reason})`, { cause });
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
