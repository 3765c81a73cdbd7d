// `egret reset` and `egret snapshot`: the state of a running server, saved and brought back.

import process from "node:process";
import { CONTROL_PREFIX } from "../control/control-route.ts";
import type { CommandLine, Environment } from "../server/command-line/read-command-line.ts";
import { UsageError } from "../server/errors.ts";
import { type Asked, askedBy } from "./ask-server.ts";
import { tableText } from "./requests/text-table.ts";

/** Throws UsageError and StartError. */
export async function reset(line: CommandLine, env: Environment): Promise<number> {
  const asked = askedBy(line, env);
  if (asked.words.length > 0) throw new UsageError(`say --to ${asked.words[0]}`);
  const { to = "start" } = asked.values;
  const target = to === "empty" || to === "start" ? to : { snapshot: to };
  const body = { to: target, watches: watchesOf(asked) };
  tellRestored(await asked.ask({ method: "POST", path: `${CONTROL_PREFIX}/reset`, body }));
  return 0;
}

/** Throws UsageError and StartError. */
export async function snapshot(line: CommandLine, env: Environment): Promise<number> {
  const asked = askedBy(line, env);
  const [word = "list", name, ...more] = asked.words;
  if (more.length > 0) throw new UsageError("give one name only");
  if (word === "list" && name === undefined) await listSnapshots(asked);
  else if (name === undefined || !["save", "restore", "delete"].includes(word))
    throw new UsageError("say what to do: egret snapshot [list | save NAME | restore NAME | delete NAME]");
  else if (word === "save") await saveSnapshot(asked, name);
  else if (word === "restore") await restoreSnapshot(asked, name);
  else await asked.ask({ method: "DELETE", path: pathOf(name) });
  return 0;
}

async function listSnapshots(asked: Asked): Promise<void> {
  const text = await asked.ask({ method: "GET", path: `${CONTROL_PREFIX}/snapshots` });
  const { items } = JSON.parse(text) as { items: readonly SnapshotJson[] }; // what GET /snapshots answers
  const rows = items.map(({ name, revision, savedAt, keys }) => [
    name,
    String(revision),
    savedAt,
    String(keys),
  ]);
  process.stdout.write(tableText([["NAME", "REVISION", "SAVED", "KEYS"], ...rows]));
}

interface SnapshotJson {
  readonly name: string;
  readonly revision: number;
  readonly savedAt: string;
  readonly keys: number;
}

async function saveSnapshot(asked: Asked, name: string): Promise<void> {
  const replace = asked.values["replace"] === true;
  const text = replace
    ? await asked.ask({ method: "PUT", path: pathOf(name) })
    : await asked.ask({ method: "POST", path: `${CONTROL_PREFIX}/snapshots`, body: { name } });
  const { revision } = JSON.parse(text) as SnapshotJson; // what was asked for
  process.stdout.write(`${name} holds the state at revision ${revision}\n`);
}

/** Throws UsageError and StartError. */
export async function restoreSnapshot(asked: Asked, name: string): Promise<void> {
  const body = { watches: watchesOf(asked) };
  tellRestored(await asked.ask({ method: "POST", path: `${pathOf(name)}/restore`, body }));
}

const pathOf = (name: string): string => `${CONTROL_PREFIX}/snapshots/${encodeURIComponent(name)}`;

const watchesOf = ({ values }: Asked): string => (values["expire-watches"] === true ? "expire" : "events");

function tellRestored(text: string): void {
  const { revision, created, updated, deleted } = JSON.parse(text) as Record<string, number>; // as /reset answers
  process.stdout.write(`revision ${revision}: ${created} created, ${updated} updated, ${deleted} deleted\n`);
}
