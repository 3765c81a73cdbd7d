// `egret reset` and `egret snapshot`: the state of a running server, saved and brought back.
import process from "node:process";
import { CONTROL_PREFIX } from "../control/control-route.ts";
import { UsageError } from "../server/command-line/usage-error.ts";
import { type Asked, type Environment, readAsked } from "./ask-server.ts";

const RESET_HELP = `Usage: egret reset [--to empty|start|SNAPSHOT] [--expire-watches]

Brings an earlier state back: what every server has, what this one had when it was ready (default), or a snapshot.
`;

const SNAPSHOT_HELP = `Usage: egret snapshot [list]
       egret snapshot save [--replace] NAME
       egret snapshot restore [--expire-watches] NAME
       egret snapshot delete NAME

Snapshots are kept in memory and live as long as the server runs; egret backup writes files.
`;
const FLAGS_HELP = `
  --expire-watches    ends open watches with 410 Expired; otherwise they see the differences
`;

/** Throws UsageError and StartError. */
export async function reset(args: readonly string[], env: Environment): Promise<number> {
  const flags = { to: { type: "string" }, "expire-watches": { type: "boolean" } } as const;
  const asked = readAsked({ args, env, help: RESET_HELP + FLAGS_HELP }, flags);
  if (asked === undefined) return 0;
  if (asked.words.length > 0) throw new UsageError(`say --to ${asked.words[0]}`);
  const { to = "start" } = asked.values;
  const target = to === "empty" || to === "start" ? to : { snapshot: to };
  const body = { to: target, watches: watchesOf(asked) };
  tellRestored(await asked.ask({ method: "POST", path: `${CONTROL_PREFIX}/reset`, body }));
  return 0;
}

/** Throws UsageError and StartError. */
export async function snapshot(args: readonly string[], env: Environment): Promise<number> {
  const flags = { replace: { type: "boolean" }, "expire-watches": { type: "boolean" } } as const;
  const asked = readAsked({ args, env, help: SNAPSHOT_HELP + FLAGS_HELP }, flags);
  if (asked === undefined) return 0;
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
  const table = [["NAME", "REVISION", "SAVED", "KEYS"], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  for (const row of table) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    process.stdout.write(`${cells.join("   ")}\n`);
  }
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
