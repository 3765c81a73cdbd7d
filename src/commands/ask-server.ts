// What the commands that speak to a running server have in common: which server is meant, and how its answers and
// refusals are told.
import { readFile } from "node:fs/promises";
import process from "node:process";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { type OutgoingRequest, RequestError, requestWith } from "../http/kubeconfig-client.ts";
import { isObject } from "../meta/json.ts";
import { DEFAULT_OPTIONS } from "../options.ts";
import { UsageError } from "../server/command-line/usage-error.ts";
import { StartError } from "../server/start-error.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Flags of one command beside those that all of them have. */
type Flags = NonNullable<ParseArgsConfig["options"]>;

export interface Asked {
  readonly values: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
  /** Asks the server. Throws StartError when it is not there or refuses. */
  ask(request: OutgoingRequest): Promise<string>;
  /** As ask(), also for a refusal. */
  askAnyway(request: OutgoingRequest): Promise<{ readonly status: number; readonly text: string }>;
}

export const SERVER_FLAGS_HELP = `  --kubeconfig PATH   of the server (EGRET_KUBECONFIG; default ${DEFAULT_OPTIONS.kubeconfig})
  --ready-file PATH   written by the server that is meant, in the place of a kubeconfig
`;

/** Reads the command line; undefined when its help was asked for, which is printed. Throws UsageError. */
export function readAsked(
  { args, env, help }: { readonly args: readonly string[]; readonly env: Environment; readonly help: string },
  flags: Flags = {},
): Asked | undefined {
  const common = {
    kubeconfig: { type: "string" },
    "ready-file": { type: "string" },
    help: { type: "boolean" },
  } as const;
  const { values, positionals: words } = parse(args, { ...flags, ...common });
  if (values["help"] === true) {
    process.stdout.write(`${help}\n${SERVER_FLAGS_HELP}`);
    return undefined;
  }
  const askAnyway = async (request: OutgoingRequest) =>
    requestWith(await kubeconfigOf(values, env), request).catch(rejectKnown);
  const ask = async (request: OutgoingRequest) => {
    const { status, text } = await askAnyway(request);
    if (status >= 400) throw new StartError(refusalOf(status, text));
    return text;
  };
  return { values, words, ask, askAnyway };
}

function parse(args: readonly string[], options: Flags) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** The kubeconfig that is meant. Throws StartError. */
export async function kubeconfigOf(
  values: Readonly<Record<string, unknown>>,
  env: Environment,
): Promise<string> {
  const { kubeconfig, "ready-file": readyFile } = values;
  if (typeof kubeconfig === "string") return kubeconfig;
  if (typeof readyFile !== "string") return env["EGRET_KUBECONFIG"] ?? DEFAULT_OPTIONS.kubeconfig;
  const ready = await readReadyFile(readyFile);
  if (ready.kubeconfig === "") throw new StartError(`the server of ${readyFile} has written no kubeconfig`);
  return ready.kubeconfig;
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

function rejectKnown(error: unknown): never {
  throw error instanceof RequestError ? new StartError(error.message, { cause: error }) : error;
}
