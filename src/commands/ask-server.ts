// What the commands that speak to a running server have in common: which server is meant, and how its answers and
// refusals are told.

import { readFile } from "node:fs/promises";
import { delimiter } from "node:path";
import process from "node:process";
import { type OutgoingRequest, RequestError, requestWith } from "../http/kubeconfig-client.ts";
import { isObject } from "../meta/json.ts";
import type { CommandLine, Environment } from "../server/command-line/read-command-line.ts";
import { StartError } from "../server/errors.ts";
import { DEFAULT_KUBECONFIG } from "../server/options/option-table.ts";

export interface Asked {
  readonly values: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
  /** Asks the server. Throws StartError when it is not there or refuses. */
  ask(request: OutgoingRequest): Promise<string>;
  /** As ask(), also for a refusal. */
  askAnyway(request: OutgoingRequest): Promise<{ readonly status: number; readonly text: string }>;
}

/** A server that does not know the path at all has no Status to say so with. */
const isForeign = ({ status, text }: { readonly status: number; readonly text: string }): boolean =>
  status === 404 && !text.trimStart().startsWith("{");

/** Which server a command line means, and how it is asked. */
export function askedBy(line: CommandLine, env: Environment): Asked {
  const values = Object.fromEntries(line.values);
  const askAnyway = async (request: OutgoingRequest) => {
    const answer = await requestWith(await kubeconfigOf(values, env), request).catch(rejectKnown);
    if (isForeign(answer))
      throw new StartError(
        `${(await kubeconfigOf(values, env)).join(", ")} names a server that is not Egret`,
      );
    for (const warning of answer.warnings) process.stderr.write(`Warning: ${warning}\n`);
    return answer;
  };
  const ask = async (request: OutgoingRequest) => {
    const { status, text } = await askAnyway(request);
    if (status >= 400) throw new StartError(refusalOf(status, text));
    return text;
  };
  return { values, words: line.words, ask, askAnyway };
}

/**
 * The kubeconfigs that are meant: of --kubeconfig, --ready-file, EGRET_KUBECONFIG, KUBECONFIG (a list, which is merged) and
 * the folder where a server writes its own the first one that is given. Throws StartError.
 */
export async function kubeconfigOf(
  values: Readonly<Record<string, unknown>>,
  env: Environment,
): Promise<readonly string[]> {
  const { kubeconfig, "ready-file": readyFile } = values;
  const isVariable = kubeconfig === env["EGRET_KUBECONFIG"]; // which the flags go before
  if (typeof readyFile === "string" && (isVariable || kubeconfig === undefined)) {
    const ready = await readReadyFile(readyFile);
    if (ready.kubeconfig === "") throw new StartError(`the server of ${readyFile} has written no kubeconfig`);
    return [ready.kubeconfig];
  }
  if (typeof kubeconfig === "string") return [kubeconfig];
  const listed = (env["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  return listed.length > 0 ? listed : [DEFAULT_KUBECONFIG];
}

/** What `egret serve --ready-file` has written. Throws StartError. */
export async function readReadyFile(path: string): Promise<{ url: string; kubeconfig: string }> {
  let ready: unknown;
  try {
    ready = JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw new StartError(`the file ${path} cannot be read: is the server ready?`, { cause });
  }
  const { url, kubeconfig } = isObject(ready) ? ready : {};
  if (typeof url === "string" && typeof kubeconfig === "string") return { url, kubeconfig };
  throw new StartError(`${path} is no file that a server has written when it was ready`);
}

/** The message of a Status, or what there is. */
export function refusalOf(status: number, text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value) && typeof value["message"] === "string") return value["message"];
  } catch {
    // It is no JSON: the text says what there is to say.
  }
  return `the server has answered ${status}${text === "" ? "" : `: ${text.trim()}`}`;
}

/** What to do when no server is there. */
const HOW_TO_START = "egret starts a server, egret run -- COMMAND one for a single command";

/** Of a request that was not answered. Throws a StartError that says how there would be a server. */
export function rejectKnown(error: unknown): never {
  if (!(error instanceof RequestError)) throw error;
  throw new StartError(`${error.message}; ${HOW_TO_START}`, { cause: error });
}
