// `egret requests`: who asked what of a running server.

import process from "node:process";
import { CONTROL_PREFIX } from "../../control/control-route.ts";
import type { RequestLogEntry } from "../../control/requests/request-log.ts";
import type { CommandLine, Environment } from "../../server/command-line/read-command-line.ts";
import { UsageError } from "../../server/errors.ts";
import { askedBy } from "../ask-server.ts";
import { tableText } from "./text-table.ts";

const PATH = `${CONTROL_PREFIX}/requests`;

/** By flag, what the server calls it. */
const FILTERS = {
  verb: "verb",
  group: "group",
  resource: "resource",
  namespace: "namespace",
  name: "name",
  "user-agent": "userAgent",
  user: "user",
  status: "status",
  since: "since",
  limit: "limit",
} as const;

/** Throws UsageError and StartError. */
export async function requests(line: CommandLine, env: Environment): Promise<number> {
  const asked = askedBy(line, env);
  const { words, values, ask } = asked;
  const { output = "text" } = values;
  if (words.length > 0) throw new UsageError(`say --resource ${words[0]}`);
  if (output !== "text" && output !== "json")
    throw new UsageError(`--output ${output} is none of text, json`);
  const query = queryOf(values);
  if (values["clear"] === true) {
    if (query !== "") throw new UsageError("--clear forgets all requests, so it goes with no filter");
    await ask({ method: "DELETE", path: PATH });
    return 0;
  }
  const text = await ask({ method: "GET", path: `${PATH}?${query}` });
  process.stdout.write(output === "json" ? text : logText(text));
  return 0;
}

function queryOf(values: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [flag, name] of Object.entries(FILTERS)) {
    const value = values[flag];
    if (typeof value === "string") query.set(name, value);
  }
  return query.toString();
}

function logText(text: string): string {
  const { items } = JSON.parse(text) as { items: readonly RequestLogEntry[] }; // what GET /requests answers
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
