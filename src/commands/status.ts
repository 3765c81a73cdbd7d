// `egret status`: which server runs here.

import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import type { ServerStatus } from "../control/about-routes.ts";
import { CONTROL_PREFIX } from "../control/control-route.ts";
import type { CommandLine, Environment } from "../server/command-line/read-command-line.ts";
import { StartError, UsageError } from "../server/errors.ts";
import { DEFAULT_KUBECONFIG } from "../server/options/option-table.ts";
import { askedBy, kubeconfigOf } from "./ask-server.ts";

/** Exits 1 when nothing runs. Throws UsageError and StartError. */
export async function status(line: CommandLine, env: Environment): Promise<number> {
  const { output = "text", kubeconfig } = Object.fromEntries(line.values);
  if (output !== "text" && output !== "json")
    throw new UsageError(`--output ${output} is none of text, json`);
  if (line.words.length > 0) throw new UsageError(`egret status takes flags alone, and no ${line.words[0]}`);
  const found: ServerStatus[] = [];
  let absent: StartError | undefined;
  for (const path of await placesOf(line, env)) {
    const values =
      path === undefined ? line.values : new Map([...line.values, ["kubeconfig", path] as const]);
    try {
      found.push(await statusOf({ ...line, values }, env));
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      absent ??= error;
    }
  }
  if (found.length === 0) throw absent ?? new StartError(`nothing runs (${String(kubeconfig)})`);
  const text = output === "json" ? `${JSON.stringify(found, null, 2)}\n` : found.map(statusText).join("\n");
  process.stdout.write(text);
  return 0;
}

/** undefined: the server that is meant. Where nobody says which, further ones that run in the same folder count, too. */
async function placesOf(line: CommandLine, env: Environment): Promise<(string | undefined)[]> {
  const { kubeconfig, "ready-file": readyFile } = Object.fromEntries(line.values);
  const [path = ""] = await kubeconfigOf({ kubeconfig, "ready-file": readyFile }, env);
  if (path !== DEFAULT_KUBECONFIG) return [undefined];
  const names = await readdir(dirname(path)).catch(() => []);
  const others = names.filter((name) => name.startsWith(`${basename(path)}-`)).sort();
  return [undefined, ...others.map((name) => join(dirname(path), name))];
}

async function statusOf(line: CommandLine, env: Environment): Promise<ServerStatus> {
  const text = await askedBy(line, env).ask({ method: "GET", path: `${CONTROL_PREFIX}/status` });
  return JSON.parse(text) as ServerStatus; // what GET /status answers
}

function statusText(status: ServerStatus): string {
  const { url, pid, version, kubernetesVersion, profile, dataDir, kubeconfig, startedAt, controllers } =
    status;
  const rows = [
    ["URL", url],
    ["PID", String(pid)],
    ["Version", `${version} (as kube-apiserver ${kubernetesVersion})`],
    ["Profile", profile],
    ["Data", dataDir === "" ? "in memory" : dataDir],
    ["Kubeconfig", kubeconfig === "" ? "none" : kubeconfig],
    ["Started", startedAt],
    ["Objects", String(status.objects)],
    ["Revision", String(status.revision)],
    ["Controllers", controllers.length === 0 ? "none" : controllers.join(", ")],
  ];
  return rows.map(([name = "", value]) => `${`${name}:`.padEnd(13)}${value}\n`).join("");
}
