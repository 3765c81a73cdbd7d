// `egret kubeconfig`: the kubeconfig of a running server on the standard output.
import { readFile } from "node:fs/promises";
import process from "node:process";
import { stringify } from "yaml";
import { readAccess } from "../http/kubeconfig-client.ts";
import type { CommandLine, Environment } from "../server/command-line/read-command-line.ts";
import { kubeconfigFor } from "../server/files/write-kubeconfig.ts";
import { askedBy, kubeconfigOf, readReadyFile } from "./ask-server.ts";

/** Throws UsageError and StartError. */
export async function kubeconfig(line: CommandLine, env: Environment): Promise<number> {
  const asked = askedBy(line, env);
  const url = await urlWithout(asked.values);
  if (url !== undefined) {
    process.stdout.write(stringify(kubeconfigFor({ url })));
    return 0;
  }
  const paths = await kubeconfigOf(asked.values, env);
  await asked.ask({ method: "GET", path: "/version" }); // that of a server that is not there is of no use
  process.stdout.write(await textOf(paths));
  return 0;
}

/** The address of a server that has written a ready file and no kubeconfig. */
async function urlWithout({ "ready-file": path, kubeconfig }: Values): Promise<string | undefined> {
  if (typeof path !== "string" || kubeconfig !== undefined) return undefined;
  const ready = await readReadyFile(path);
  return ready.kubeconfig === "" ? ready.url : undefined;
}

type Values = Readonly<Record<string, unknown>>;

/** The file as it is; of several what they say together. */
async function textOf([path = "", ...more]: readonly string[]): Promise<string> {
  if (more.length === 0) return await readFile(path, "utf8");
  const { server, token, tls } = await readAccess([path, ...more]);
  return stringify(kubeconfigFor({ url: server, token, authority: tls.ca }));
}
