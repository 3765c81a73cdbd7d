// `egret kubeconfig`: the kubeconfig of a running server on the standard output.
import { readFile } from "node:fs/promises";
import process from "node:process";
import { stringify } from "yaml";
import { kubeconfigFor } from "../server/kubeconfig.ts";
import { StartError } from "../server/start-error.ts";
import { type Environment, kubeconfigOf, readAsked, readReadyFile } from "./ask-server.ts";

const HELP = `Usage: egret kubeconfig [--kubeconfig PATH | --ready-file PATH]

Prints the kubeconfig of a server that is running.
`;

/** Throws UsageError and StartError. */
export async function kubeconfig(args: readonly string[], env: Environment): Promise<number> {
  const asked = readAsked({ args, env, help: HELP });
  if (asked === undefined) return 0;
  const url = await urlWithout(asked.values);
  if (url !== undefined) {
    process.stdout.write(stringify(kubeconfigFor({ url })));
    return 0;
  }
  const text = await textOf(await kubeconfigOf(asked.values, env));
  await asked.ask({ method: "GET", path: "/version" }); // that of a server that is not there is of no use
  process.stdout.write(text);
  return 0;
}

/** The address of a server that has written a ready file and no kubeconfig. */
async function urlWithout({ "ready-file": path, kubeconfig }: Values): Promise<string | undefined> {
  if (typeof path !== "string" || kubeconfig !== undefined) return undefined;
  const ready = await readReadyFile(path);
  return ready.kubeconfig === "" ? ready.url : undefined;
}

type Values = Readonly<Record<string, unknown>>;

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new StartError(`the kubeconfig ${path} cannot be read`, { cause });
  }
}
