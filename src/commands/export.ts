// `egret export`: what people have put into a running server, as YAML that any server takes.

import process from "node:process";
import { CONTROL_PREFIX } from "../control/control-route.ts";
import type { CommandLine, Environment } from "../server/command-line/read-command-line.ts";
import { UsageError } from "../server/errors.ts";
import { askedBy } from "./ask-server.ts";

/** Throws UsageError and StartError. */
export async function exportCommand(line: CommandLine, env: Environment): Promise<number> {
  const asked = askedBy(line, env);
  const { namespace, selector, output = "yaml", full } = asked.values;
  if (output !== "yaml" && output !== "json")
    throw new UsageError(`--output ${output} is none of yaml, json`);
  const query = new URLSearchParams({ format: output });
  if (asked.words.length > 0) query.set("kinds", asked.words.join(","));
  if (typeof namespace === "string") query.set("namespace", namespace);
  if (typeof selector === "string") query.set("labelSelector", selector);
  if (full === true) query.set("full", "true");
  process.stdout.write(await asked.ask({ method: "GET", path: `${CONTROL_PREFIX}/export?${query}` }));
  return 0;
}
