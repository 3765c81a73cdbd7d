// The kubeconfig with which kubectl finds the server.
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { stringify } from "yaml";

/** The file cannot be written; the message is one line for the person who named it. */
export class KubeconfigError extends Error {}

export interface KubeconfigFacts {
  readonly url: string;
  /** PEM of the certificate authority, for https. */
  readonly authority?: string | undefined;
  readonly token?: string | undefined;
}

export function kubeconfigFor({ url, authority, token }: KubeconfigFacts): object {
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

/** Writes the file, readable by its owner alone. Throws KubeconfigError. */
export async function writeKubeconfig(path: string, facts: KubeconfigFacts): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, stringify(kubeconfigFor(facts)), { mode: 0o600 });
    await chmod(path, 0o600); // also where the file was there before
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new KubeconfigError(`the kubeconfig ${path} cannot be written (${reason})`, { cause });
  }
}
