// Runs wrk, whose one thread sends requests faster than any of the servers can answer.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { headerLines, withHeaders } from "../client/http-connection.ts";
import type { ServerAccess } from "../client/server-access.ts";
import type { Sample } from "../measure.ts";
import { namesOf, type Requests } from "./requests.ts";

const PROGRAM = "wrk";
const SCRIPT = fileURLToPath(import.meta.resolve("./wrk.lua"));
/** wrk accepts whole seconds only; a signal ends it sooner with valid results. */
const SECONDS_MAX = 600;
const ANSWER_SECONDS_MAX = 30;
const FIGURES = /^FIGURES (.*)$/m;

interface Figures {
  readonly count: number;
  readonly elapsedMs: number;
  readonly next: number;
  readonly refused: number;
  readonly broken: number;
  readonly delaysMs: readonly number[];
}

export interface WrkLoad {
  readonly connections: number;
  readonly ms: number;
}

/** Reports whether wrk is on the PATH. */
export function hasWrk(): boolean {
  return spawnSync(PROGRAM, ["-v"], { stdio: "ignore" }).error === undefined;
}

/** wrk can send a token, but no client certificate. */
export const wrkReaches = ({ tls }: ServerAccess): boolean => tls.cert === undefined;

/** Throws when a request was rejected or a connection broke. Also returns the next number. */
export async function wrkLoad(
  access: ServerAccess,
  requests: Requests,
  load: WrkLoad,
): Promise<Sample & { readonly next: number }> {
  const { count, elapsedMs, next, refused, broken, delaysMs } = await figuresOf(access, requests, load);
  if (refused > 0 || broken > 0)
    throw new Error(
      `of ${count} answers to ${firstLine(requests)} ${refused} were refusals, ${broken} were not whole`,
    );
  if (count > 0) return { count, elapsedMs, delaysMs, next };
  if (load.ms > ANSWER_SECONDS_MAX * 1000) throw new Error(`${firstLine(requests)} was not answered`);
  return await wrkLoad(access, { ...requests, first: next }, { ...load, ms: load.ms * 4 });
}

async function figuresOf(
  access: ServerAccess,
  requests: Requests,
  { connections, ms }: WrkLoad,
): Promise<Figures> {
  const flags = ["-t", "1", "-c", connections, "-d", SECONDS_MAX, "--timeout", ANSWER_SECONDS_MAX].map(
    String,
  );
  const args = [requests.first ?? 0, namesOf(requests)].map(String);
  const request = withHeaders(requests.text, headerLines(access));
  const wrk = spawn(PROGRAM, [...flags, "-s", SCRIPT, access.url, "--", ...args], {
    env: { ...process.env, EGRET_BENCH_REQUEST: request }, // an argument would show a token to other users
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = await outputOf(wrk, ms);
  const text = FIGURES.exec(output)?.[1];
  if (text === undefined) throw new Error(`wrk gave no figures: ${output}`);
  return JSON.parse(text);
}

/** Runs wrk for so long from the moment when it is ready. */
async function outputOf(wrk: ChildProcess, ms: number): Promise<string> {
  let output = "";
  let timer: NodeJS.Timeout | undefined;
  wrk.stdout?.on("data", (text) => (output += text));
  wrk.stderr?.on("data", (text) => {
    if (String(text).startsWith("ready")) timer = setTimeout(() => wrk.kill("SIGINT"), ms);
    else output += text;
  });
  try {
    await once(wrk, "close");
    return output;
  } finally {
    clearTimeout(timer);
  }
}

const firstLine = ({ text }: Requests): string => text.slice(0, text.indexOf("\r\n"));
