// `egret faults`: what goes wrong on a running server, for the clients of a test to meet it.

import { readFile } from "node:fs/promises";
import process from "node:process";
import { CONTROL_PREFIX } from "../../control/control-route.ts";
import type { Fault, FaultReport } from "../../control/faults/fault.ts";
import { commandOf } from "../../server/command-line/commands.ts";
import { usageLine } from "../../server/command-line/help.ts";
import type { CommandLine, Environment } from "../../server/command-line/read-command-line.ts";
import { StartError, UsageError } from "../../server/errors.ts";
import { decodeDocuments, isUnreadable, strictValue } from "../../yaml/decode-yaml.ts";
import { type Asked, askedBy } from "../ask-server.ts";
import { tableText } from "./text-table.ts";

const PATH = `${CONTROL_PREFIX}/faults`;

/** Throws UsageError and StartError. */
export async function faults(line: CommandLine, env: Environment): Promise<number> {
  const asked = askedBy(line, env);
  const [word = "list", ...given] = asked.words;
  if (word === "list" && given.length === 0) await list(asked);
  else if (word === "clear" && given.length === 0) await asked.ask({ method: "DELETE", path: PATH });
  else if (word === "add" && given.length > 0) for (const text of given) await add(asked, text);
  else if (word === "remove" && given.length > 0) for (const id of given) await remove(asked, id);
  else throw new UsageError(`say what to do: ${usageLine(commandOf("faults"))}`);
  return 0;
}

async function list({ ask, values }: Asked): Promise<void> {
  const { output = "text" } = values;
  if (output !== "text" && output !== "json")
    throw new UsageError(`--output ${output} is none of text, json`);
  const text = await ask({ method: "GET", path: PATH });
  if (output === "json") {
    process.stdout.write(text);
    return;
  }
  const { items } = JSON.parse(text) as { items: readonly FaultReport[] }; // what GET /faults answers
  const rows = items.map(({ id, fault, matched, fired, spent }) => [
    id,
    String(matched),
    String(fired),
    spent ? "spent" : "live",
    wordsOf(fault),
  ]);
  process.stdout.write(tableText([["ID", "MATCHED", "FIRED", "STATE", "FAULT"], ...rows]));
}

/** All but the id, as it could be given again. */
function wordsOf({ id: _id, ...fault }: Fault): string {
  return JSON.stringify(fault);
}

async function add({ ask }: Asked, given: string): Promise<void> {
  const text = given.trimStart().startsWith("{") ? given : await read(given);
  for (const body of documentsOf(text)) {
    if (body === null) continue;
    const { id } = JSON.parse(await ask({ method: "POST", path: PATH, body })) as FaultReport; // what POST answers
    process.stdout.write(`${id} added\n`);
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
  if (file !== "-") {
    return await readFile(file, "utf8").catch((cause: Error) => {
      throw new StartError(`${file} cannot be read (${cause.message})`, { cause });
    });
  }
  let text = "";
  process.stdin.setEncoding("utf8");
  for await (const chunk of process.stdin) text += chunk;
  return text;
}

async function remove({ ask }: Asked, id: string): Promise<void> {
  await ask({ method: "DELETE", path: `${PATH}/${encodeURIComponent(id)}` });
  process.stdout.write(`${id} removed\n`);
}
