// `egret status`: facts about the running server; `egret kubeconfig`: a kubeconfig for it.

import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { shownInLine } from "../apimachinery/meta/terminal-text.ts";
import { readAccess } from "../apiserver/http/kubeconfig/access.ts";
import type { KubeconfigChoice } from "../apiserver/http/kubeconfig/files.ts";
import { StartError, UsageError } from "../server/errors.ts";
import { kubeconfigText } from "../server/files/kubeconfig.ts";
import type { CommandLine, Environment, FlagValues } from "../server/options/read-command-line.ts";
import type { ServerStatus } from "../server/paths.ts";
import { askedBy, discovered, kubeconfigOf, readReadyFile } from "./ask-server.ts";
import { print, printDocument } from "./output.ts";
import { userKubeconfig } from "./user-kubeconfig.ts";

/** Exits 1 if no server runs. Throws UsageError and StartError. */
export async function status(line: CommandLine, env: Environment): Promise<void> {
  if (line.words.length > 0) throw new UsageError(`egret status takes flags alone, and no ${line.words[0]}`);
  const found: ServerStatus[] = [];
  let absent: StartError | undefined;
  for (const place of await placesOf(line, env)) {
    try {
      found.push(await askedBy(line, env, place).json<ServerStatus>("/status"));
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      absent ??= error;
    }
  }
  if (absent !== undefined && found.length === 0) throw absent;
  const isJson = line.values.get("output") === "json";
  if (isJson) printDocument(`${JSON.stringify(found, null, 2)}\n`);
  else print(found.map(statusText).join("\n"));
}

/** The selected server; by default also the other servers of the working directory. */
async function placesOf({ values }: CommandLine, env: Environment): Promise<KubeconfigChoice[]> {
  const choice = await kubeconfigOf(values, env);
  const [path = ""] = choice.paths;
  if (choice.isDiscovered !== true) return [choice];
  const names = await readdir(dirname(path)).catch(() => []);
  const others = names.filter((name) => name.startsWith(`${basename(path)}-`)).sort();
  return [choice, ...others.map((name) => discovered(join(dirname(path), name), choice.context))];
}

function statusText(status: ServerStatus): string {
  const { url, pid, version, kubernetesVersion, profile, store, kubeconfig, startedAt, controllers } = status;
  const { problems = [] } = status; // older servers do not report them
  const rows = [
    ["URL", url],
    ["PID", String(pid)],
    ["Version", `${version} (as kube-apiserver ${kubernetesVersion})`],
    ["Profile", profile],
    ["Data", store === "memory" ? "in memory" : store],
    ["Kubeconfig", kubeconfig === "" ? "none" : kubeconfig],
    ["Started", startedAt],
    ["Objects", String(status.objects)],
    ["Revision", String(status.revision)],
    ["Controllers", controllers.length === 0 ? "none" : controllers.join(", ")],
    ...problems.map(({ object, reason }) => ["Not served", `${object}: ${reason}`]),
  ];
  return rows.map(([name = "", value]) => `${`${name}:`.padEnd(13)}${shownInLine(value ?? "")}\n`).join("");
}

/** `egret kubeconfig`. Throws UsageError and StartError. */
export async function kubeconfig(line: CommandLine, env: Environment): Promise<void> {
  const isForUser = line.values.has("user");
  if (!isForUser && line.values.has("group")) throw new UsageError("--group needs --user");
  printDocument(isForUser ? await userKubeconfig(line, env) : await kubeconfigOfServer(line, env));
}

async function kubeconfigOfServer(line: CommandLine, env: Environment): Promise<string> {
  const url = await urlWithout(line.values);
  if (url !== undefined) return kubeconfigText({ url });
  const choice = await kubeconfigOf(line.values, env);
  const [path = "", ...more] = choice.paths;
  await askedBy(line, env).ask("/version", ""); // checks that the server is reachable
  if (more.length === 0 && choice.context === undefined) return await readFile(path, "utf8");
  const { server, token, tls } = await readAccess(choice); // merged from all files
  const client = tls.cert && tls.key ? { certificate: tls.cert, key: tls.key } : undefined;
  return kubeconfigText({ url: server, token, authority: tls.ca, client });
}

/** The URL of a server that has written a ready file and no kubeconfig. */
async function urlWithout(values: FlagValues): Promise<string | undefined> {
  const path = values.get("ready-file");
  if (typeof path !== "string" || values.has("kubeconfig")) return undefined;
  const ready = await readReadyFile(path);
  return ready.kubeconfig === "" ? ready.url : undefined;
}
