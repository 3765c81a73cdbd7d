// `egret requests`: the request log of a running server, and its webhook log. `egret faults`: the faults that it
// injects into requests of clients.

import { readFile } from "node:fs/promises";
import process from "node:process";
import { text as readAll } from "node:stream/consumers";
import { decodeDocuments, isUnreadable, strictValue } from "../apimachinery/yaml/decode-yaml.ts";
import type { Fault, FaultReport } from "../features/faults/fault.ts";
import type { RequestLogEntry } from "../features/request-log/request-log.ts";
import { StartError, UsageError } from "../server/errors.ts";
import { type Asked, queryOf } from "./ask-server.ts";
import { usageError } from "./commands.ts";
import { print } from "./output.ts";
import { tableText } from "./terminal.ts";
import { WEBHOOK_FLAGS, webhookCalls } from "./webhook-calls.ts";

/** Flags with the names of the server's query parameters; there, dashes are absent. */
const FILTERS = ["verb", "group", "resource", "namespace", "name", "user", "status", "since", "limit"];

/** Throws UsageError and StartError. */
export async function requests(asked: Asked): Promise<void> {
  if (asked.words.length > 0) throw new UsageError(`say --resource ${asked.words[0]}`);
  if (asked.isSet("webhooks")) return await webhookCalls(asked);
  for (const flag of WEBHOOK_FLAGS)
    if (asked.text(flag) !== undefined) throw new UsageError(`--${flag} goes with --webhooks`);
  const form = asked.text("output") ?? "";
  if (["yaml", "review"].includes(form)) throw new UsageError(`-o ${form} goes with --webhooks`);
  const named = FILTERS.map((name) => [name, asked.text(name)]);
  const query = queryOf({ ...Object.fromEntries(named), userAgent: asked.text("user-agent") });
  if (asked.isSet("clear")) {
    if (query !== "") throw new UsageError("--clear forgets all requests, so it goes with no filter");
    await asked.ask({ method: "DELETE", path: "/requests" });
  } else await asked.print<{ items: readonly RequestLogEntry[] }>(`/requests?${query}`, logText);
}

function logText({ items }: { readonly items: readonly RequestLogEntry[] }): string {
  const rows = items.map(({ sequence, time, status, durationMs, verb, path, userAgent, stage, fault }) => [
    String(sequence),
    time,
    stage === "started" ? `${status}…` : String(status),
    `${durationMs} ms`,
    verb,
    path,
    userAgent.split(" ")[0] ?? "",
    fault ?? "",
  ]);
  const head = ["SEQUENCE", "TIME", "STATUS", "DURATION", "VERB", "PATH", "USER AGENT", "FAULT"];
  return tableText([head, ...rows]);
}

/** Throws UsageError and StartError. */
export async function faults(asked: Asked): Promise<void> {
  const [word = "list", ...given] = asked.words;
  if (word === "list" && given.length === 0)
    await asked.print<{ items: readonly FaultReport[] }>("/faults", faultsText);
  else if (word === "clear" && given.length === 0) await asked.ask({ method: "DELETE", path: "/faults" });
  else if (word === "add" && given.length > 0) for (const text of given) await add(asked, text);
  else if (word === "remove" && given.length > 0) for (const id of given) await remove(asked, id);
  else throw usageError("say what to do", "faults");
}

function faultsText({ items }: { readonly items: readonly FaultReport[] }): string {
  const rows = items.map(({ id, fault, matched, fired, spent }) => {
    return [id, String(matched), String(fired), spent ? "spent" : "live", wordsOf(fault)];
  });
  return tableText([["ID", "MATCHED", "FIRED", "STATE", "FAULT"], ...rows]);
}

/** The fault without its id, in a form that can be added again. */
const wordsOf = ({ id: _id, ...fault }: Fault): string => JSON.stringify(fault);

async function add(asked: Asked, given: string): Promise<void> {
  const text = given.trimStart().startsWith("{") ? given : await read(given);
  for (const body of documentsOf(text)) {
    if (body === null) continue;
    const { id } = await asked.json<FaultReport>({ method: "POST", path: "/faults", body });
    print(`${id} added\n`);
  }
}

function documentsOf(text: string): unknown[] {
  try {
    return [...decodeDocuments(text)].map(strictValue);
  } catch (error) {
    throw isUnreadable(error) ? new StartError(`the fault cannot be read: ${error.message}`) : error;
  }
}

async function read(file: string): Promise<string> {
  if (file === "-") return await readAll(process.stdin);
  return await readFile(file, "utf8").catch((cause: Error) => {
    throw new StartError(`${file} cannot be read (${cause.message})`, { cause });
  });
}

async function remove({ ask }: Asked, id: string): Promise<void> {
  await ask({ method: "DELETE", path: `/faults/${encodeURIComponent(id)}` });
  print(`${id} removed\n`);
}
