// The state of a running server: `egret reset` and `egret snapshot` save and restore it, `egret export` prints it,
// `egret compact` compacts its history. `egret clock` controls its time.

import type { ClockState } from "../features/control-surface/clock.ts";
import type { CompactedStore } from "../features/history/history-keeper.ts";
import type { SnapshotJson } from "../features/state/routes.ts";
import type { Restored } from "../features/state/state-keeper.ts";
import { UsageError } from "../server/errors.ts";
import { type Asked, type Question, queryOf } from "./ask-server.ts";
import { usageError } from "./commands.ts";
import { exportState, isPlace } from "./export-state.ts";
import { print, printDocument } from "./output.ts";
import { tableText } from "./terminal.ts";

/** Throws UsageError and StartError. */
export async function reset(asked: Asked): Promise<void> {
  if (asked.words.length > 0) throw new UsageError(`say --to ${asked.words[0]}`);
  const to = asked.text("to") ?? "start";
  const target = to === "empty" || to === "start" ? to : { snapshot: to };
  await tellRestored(asked, "/reset", { to: target });
}

/** Throws UsageError and StartError. */
export async function snapshot(asked: Asked): Promise<void> {
  const [word = "list", name, ...more] = asked.words;
  if (more.length > 0) throw new UsageError("give one name only");
  if (word === "list" && name === undefined) await listSnapshots(asked);
  else if (name === undefined || !["save", "restore", "delete"].includes(word))
    throw new UsageError("say what to do: egret snapshot [list | save NAME | restore NAME | delete NAME]");
  else if (word === "save") await saveSnapshot(asked, name);
  else if (word === "restore") await tellRestored(asked, `${pathOf(name)}/restore`);
  else await asked.ask({ method: "DELETE", path: pathOf(name) });
}

async function listSnapshots(asked: Asked): Promise<void> {
  const { items } = await asked.json<{ items: readonly SnapshotJson[] }>("/snapshots");
  const rows = items.map(({ name, revision, savedAt, keys }) => [name, `${revision}`, savedAt, `${keys}`]);
  print(tableText([["NAME", "REVISION", "SAVED", "KEYS"], ...rows]));
}

async function saveSnapshot(asked: Asked, name: string): Promise<void> {
  const { revision } = await asked.json<SnapshotJson>(
    asked.isSet("replace")
      ? { method: "PUT", path: pathOf(name) }
      : { method: "POST", path: "/snapshots", body: { name } },
  );
  print(`${name} holds the state at revision ${revision}\n`);
}

const pathOf = (name: string): string => `/snapshots/${encodeURIComponent(name)}`;

async function tellRestored(asked: Asked, path: string, to: object = {}): Promise<void> {
  const body = { ...to, watches: asked.isSet("expire-watches") ? "expire" : "events" };
  const question = { method: "POST", path, body } as const;
  const { revision, created, updated, deleted } = await asked.json<Restored>(question);
  print(`revision ${revision}: ${created} created, ${updated} updated, ${deleted} deleted\n`);
}

/**
 * Prints user-created objects as YAML that any server accepts; with a path it exports the state. Throws UsageError and
 * StartError.
 */
export async function exportCommand(asked: Asked): Promise<void> {
  const place = asked.words.find(isPlace);
  if (place !== undefined) {
    const kinds = asked.words.filter((word) => word !== place);
    if (kinds.some(isPlace)) throw new UsageError("say one place to write to");
    return exportState(asked, kinds, place);
  }
  const query = queryOf({
    format: asked.text("output") ?? "yaml",
    kinds: asked.words.join(",") || undefined,
    namespace: asked.text("namespace"),
    labelSelector: asked.text("selector"),
    full: asked.isSet("full") ? "true" : undefined,
  });
  printDocument(await asked.ask(`/export?${query}`));
}

/** Compacts the store, for tests of the 410 that clients get afterwards. Throws UsageError and StartError. */
export async function compact(asked: Asked): Promise<void> {
  const [revision, ...more] = asked.words;
  if (revision === undefined || more.length > 0)
    throw new UsageError("say up to where: egret compact REVISION");
  const question = { method: "POST", path: "/compact", body: { revision } } as const;
  const { oldestRevision, revision: newest } = await asked.json<CompactedStore>(question);
  print(`revisions ${oldestRevision} to ${newest} can be read\n`);
}

/** Throws UsageError and StartError. */
export async function clock(asked: Asked): Promise<void> {
  const [word = "", value, ...more] = asked.words;
  const question = value === undefined ? CLOCK_WORDS.get(word) : clockQuestion(word, value);
  if (question === undefined || more.length > 0) throw usageError("say what to do", "clock");
  const { mode, now, timers } = await asked.json<ClockState>(question);
  print(`${now} ${mode}, ${timers} ${timers === 1 ? "timer" : "timers"} to come\n`);
}

const CLOCK_WORDS: ReadonlyMap<string, Question> = new Map<string, Question>([
  ["", "/clock"],
  ["freeze", { method: "PUT", path: "/clock", body: { mode: "frozen" } }],
  ["real", { method: "PUT", path: "/clock", body: { mode: "real" } }],
  ["settle", { method: "POST", path: "/clock/settle" }],
]);

/** undefined: an unknown word. */
function clockQuestion(word: string, value: string): Question | undefined {
  if (word === "freeze") return { method: "PUT", path: "/clock", body: { mode: "frozen", now: value } };
  const body = word === "advance" ? { duration: value } : word === "to" ? { to: value } : undefined;
  return body && { method: "POST", path: "/clock/advance", body };
}
