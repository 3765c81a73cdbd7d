// The kubeconfig with which kubectl finds the server.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { stringify } from "yaml";

export function kubeconfigFor(url: string): object {
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "egret", cluster: { server: url } }],
    users: [{ name: "egret", user: {} }],
    contexts: [{ name: "egret", context: { cluster: "egret", user: "egret", namespace: "default" } }],
    "current-context": "egret",
  };
}

/** Writes the file, readable by its owner alone. */
export async function writeKubeconfig(path: string, url: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, stringify(kubeconfigFor(url)), { mode: 0o600 });
}
