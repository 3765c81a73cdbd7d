// Shared by the commands that access a running server: selection of the server, its responses and errors.

import { access, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { isObject, parsedObject } from "../apimachinery/json/json.ts";
import { decodeJson } from "../apimachinery/json/json-decode.ts";
import { systemClock } from "../apimachinery/meta/clock.ts";
import { LEVELS_MAX } from "../apimachinery/meta/max-nesting-depth.ts";
import { lazy } from "../apimachinery/meta/memoize.ts";
import { shownInLine } from "../apimachinery/meta/terminal-text.ts";
import { EGRET_TREE_STATE } from "../apiserver/endpoints/discovery/discovery.ts";
import { Connection, type OutgoingRequest } from "../apiserver/http/kubeconfig/client.ts";
import { type KubeconfigChoice, RequestError } from "../apiserver/http/kubeconfig/files.ts";
import { CONTROL_PREFIX } from "../features/control-surface/control-route.ts";
import { StartError } from "../server/errors.ts";
import { limitsIn } from "../server/options/import-limits.ts";
import { DEFAULT_KUBECONFIG } from "../server/options/option-table.ts";
import type { CommandLine, Environment, FlagValues } from "../server/options/read-command-line.ts";
import { print, printDocument, printError } from "./output.ts";

/** A request to the control surface: a path below its prefix to GET, or a full request. */
export type Question = string | OutgoingRequest;

export type Asked = ReturnType<typeof askedBy>;

/** The control surface responds with a Status to every error; other servers do not for an unknown path. */
const isForeign = ({ status, text }: { readonly status: number; readonly text: string }): boolean =>
  status === 404 && !text.trimStart().startsWith("{");

/** Maximum number of attempts while a server is overloaded, and the limit of one delay. */
const TRIES = 5;
const RETRY_SECONDS_MAX = 10;

/** Accesses the server that a command line selects. `place`: a kubeconfig that overrides the command line. */
export function askedBy({ values, words }: CommandLine, env: Environment, place?: KubeconfigChoice) {
  const connect = lazy(async () => new Connection(place ?? (await kubeconfigOf(values, env))));
  /** May also access a server that is not Egret; it is used for reads only. */
  const reader = lazy(async () => new Connection(place ?? (await readableKubeconfigOf(values, env))));
  const flags = flagsIn(values);
  const control = controlCalls(connect, async () => (await kubeconfigOf(values, env)).paths);
  return {
    ...{ words, ...flags, ...control, ...kubernetesCalls(reader) },
    /** The response decoded from JSON: `T` is the type that the route returns. */
    json: async <T>(question: Question): Promise<T> => readAnswer<T>(await control.ask(question)),
    /** Prints a response as text, or unchanged with --output json. */
    print: async <T>(question: Question, textFor: (answer: T) => string): Promise<void> => {
      const answer = await control.ask(question);
      if (flags.text("output") === "json") printDocument(answer);
      else print(textFor(readAnswer<T>(answer)));
    },
  };
}

/** The flags of a command line by name. */
const flagsIn = (values: FlagValues) => ({
  /** The value of a flag; undefined if it is not set. */
  text: (flag: string): string | undefined => {
    const value = values.get(flag);
    return typeof value === "string" ? value : undefined;
  },
  /** The values of a flag that may be repeated. */
  texts: (flag: string): readonly string[] => {
    const list = values.get(flag);
    return Array.isArray(list) ? list : [];
  },
  /** Limits for reading files. Throws UsageError. */
  limits: () => limitsIn(values),
  isSet: (flag: string): boolean => values.get(flag) === true,
});

type Connect = () => Promise<Connection>;

/** Requests to the control surface. `paths` names the kubeconfigs in errors. */
function controlCalls(connect: Connect, paths: () => Promise<readonly string[]>) {
  /**
   * Sends a request to the control surface, or below another prefix. Returns error responses, too. Throws StartError
   * when the server is not reachable.
   */
  const askAnyway = async (question: Question, prefix = CONTROL_PREFIX) => {
    const { path, ...rest } =
      typeof question === "string" ? ({ method: "GET", path: question } as const) : question;
    const connection = await connect();
    const request = { ...rest, path: `${prefix}${path}` };
    const answer = await connection.request(request).catch(rejectKnown);
    if (isForeign(answer))
      throw new StartError(`${(await paths()).join(", ")} names a server that is not Egret`);
    for (const warning of answer.warnings) printError(`Warning: ${shownInLine(warning)}\n`);
    return answer;
  };
  return {
    askAnyway,
    /** As askAnyway(), but throws StartError for an error response. */
    ask: async (question: Question, prefix?: string): Promise<string> => {
      const { status, text } = await askAnyway(question, prefix);
      if (status >= 400) throw new StartError(refusalOf(status, text));
      return text;
    },
    /**
     * Calls `onLine` for each line of a successful response as it arrives; returns the rest behind the last line. Throws
     * StartError for an error response.
     */
    lines: async ({ path, ...question }: OutgoingRequest, onLine: (line: string) => void) => {
      const request = { ...question, path: `${CONTROL_PREFIX}${path}` };
      const answer = await (await connect()).lines(request, onLine).catch(rejectKnown);
      if (answer.status !== 200) throw new StartError(refusalOf(answer.status, answer.text));
      return answer.text;
    },
  };
}

/** Reads from a server that need not be Egret. */
function kubernetesCalls(reader: Connect) {
  /**
   * Reads any path of the Kubernetes API, of any server; retries after Retry-After. Throws StartError when the server
   * is not reachable.
   */
  const kubernetes = async (path: string) => {
    for (let tries = 1; ; tries++) {
      const answer = await (await reader())
        .request({ method: "GET", path, isLarge: true })
        .catch(rejectKnown);
      const { status, retryAfterSeconds } = answer;
      const isLater = retryAfterSeconds !== undefined && (status === 429 || status >= 500);
      if (!isLater || tries >= TRIES) return answer;
      await systemClock.sleep(Math.min(retryAfterSeconds, RETRY_SECONDS_MAX) * 1000);
    }
  };
  /**
   * undefined: /version reports another server than Egret, or the user may not access the control surface. Throws
   * StartError.
   */
  const askEgret = async <T>({ path, ...question }: OutgoingRequest): Promise<T | undefined> => {
    const version = await kubernetes("/version");
    if (parsedObject(version.text)?.["gitTreeState"] !== EGRET_TREE_STATE) return undefined;
    const request = { ...question, path: `${CONTROL_PREFIX}${path}` };
    const { status, text } = await (await reader()).request(request).catch(rejectKnown);
    if (isForeign({ status, text }) || status === 403) return undefined;
    if (status >= 400) throw new StartError(refusalOf(status, text));
    return readAnswer<T>(text);
  };
  return { kubernetes, askEgret };
}

/** Values of fields may be integers of any size. */
const readAnswer = <T>(text: string): T => decodeJson(text, { depthMax: LEVELS_MAX }).value as T; // the route defines T

/** Encodes a query; undefined members are omitted. */
export function queryOf(members: Readonly<Record<string, string | undefined>>): string {
  const known = Object.entries(members).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  return new URLSearchParams(known).toString();
}

/**
 * Selects kubeconfigs and context. The first one set of --kubeconfig, --ready-file, EGRET_KUBECONFIG, KUBECONFIG (a
 * list, which is merged) and the server's default path is used. Throws StartError.
 */
export async function kubeconfigOf(values: FlagValues, env: Environment): Promise<KubeconfigChoice> {
  const [kubeconfig, readyFile] = [values.get("kubeconfig"), values.get("ready-file")];
  const given = values.get("context");
  const context = typeof given === "string" ? given : undefined;
  const isVariable = kubeconfig === env["EGRET_KUBECONFIG"]; // all flags precede it
  if (typeof readyFile === "string" && (isVariable || kubeconfig === undefined)) {
    const ready = await readReadyFile(readyFile);
    if (ready.kubeconfig === "") throw new StartError(`the server of ${readyFile} has written no kubeconfig`);
    return { paths: [ready.kubeconfig], context };
  }
  if (typeof kubeconfig === "string") return { paths: [kubeconfig], context };
  const listed = (env["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  return listed.length > 0 ? { paths: listed, context } : discovered(DEFAULT_KUBECONFIG, context);
}

/** A kubeconfig in the working directory, to which special rules apply. */
export const discovered = (path: string, context?: string): KubeconfigChoice => ({
  ...{ paths: [path], context },
  isDiscovered: true,
});

/**
 * For read-only commands: as kubeconfigOf(). If none is set and the working directory has none, kubectl's default
 * kubeconfig. Throws StartError.
 */
async function readableKubeconfigOf(values: FlagValues, env: Environment): Promise<KubeconfigChoice> {
  const choice = await kubeconfigOf(values, env);
  const usual = join(homedir(), ".kube", "config");
  if (choice.isDiscovered !== true || (await isThere(DEFAULT_KUBECONFIG))) return choice;
  return (await isThere(usual)) ? { paths: [usual], context: choice.context } : choice;
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Reads the file of `egret serve --ready-file`. Throws StartError. */
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

/** The message of a Status, or the plain text of the response. */
export function refusalOf(status: number, text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value) && typeof value["message"] === "string") return value["message"];
  } catch {
    // Not JSON: the text is used.
  }
  return `the server has answered ${status}${text === "" ? "" : `: ${text.trim()}`}`;
}

/** Hint for a server that is not reachable. */
const HOW_TO_START = "egret starts a server, egret run -- COMMAND one for a single command";

/** Maps a failed connection to a StartError with a hint how to start a server. */
export function rejectKnown(error: unknown): never {
  if (!(error instanceof RequestError)) throw error;
  throw new StartError(`${error.message}; ${HOW_TO_START}`, { cause: error });
}
