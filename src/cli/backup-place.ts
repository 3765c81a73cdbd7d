// `egret backup --from` and `egret restore --to`: stores that no running server uses, or that are in etcd.

import { systemClock } from "../apimachinery/meta/clock.ts";
import { writePrivateFile } from "../apimachinery/meta/files/private-file.ts";
import { createLog } from "../apiserver/http/log.ts";
import { StartError, UsageError } from "../server/errors.ts";
import { readOptions, type ServerOptions } from "../server/options/options.ts";
import type { CommandLine } from "../server/options/read-command-line.ts";
import { describePlace, type StorageBackend, storageBackendOf } from "../server/storage-backend.ts";
import { openStore } from "../server/store.ts";
import { storedScreen } from "../server/stored-screen.ts";
import { backupLines } from "../storage/backup.ts";
import { LayoutError } from "../storage/layout.ts";
import { fillStore, replaceState } from "../storage/restore-state.ts";
import { isEmpty, type Store } from "../storage/store.ts";
import { checkWhole, linesOf, startError } from "./backup-file.ts";
import { print, printError } from "./output.ts";
import { holdsStore, restoreFolder } from "./restore-folder.ts";
import { Progress } from "./terminal.ts";

interface NamedPlace {
  readonly options: ServerOptions;
  readonly place: Exclude<StorageBackend, { type: "memory" }>;
  readonly name: string;
}

/** Throws UsageError. */
function placeNamed({ values }: CommandLine, text: string): NamedPlace {
  const options = readOptions(new Map([...values, ["store", text]]));
  const place = storageBackendOf(options);
  if (place.type === "memory")
    throw new UsageError("what is in memory goes with its server: name another place");
  return { options, place, name: describePlace(place) };
}

const open = ({ options }: NamedPlace): Promise<Store> =>
  openStore(options, systemClock, createLog("silent"));

/** Writes the store at one revision, with its retained earlier revisions. Throws UsageError and StartError. */
export async function backupPlace(line: CommandLine, from: string, file: string): Promise<void> {
  const named = placeNamed(line, from);
  const { place, name } = named;
  if (place.type === "level" && !(await holdsStore(place.folder)))
    throw new StartError(`${name} holds no store`);
  await using store = await open(named);
  try {
    await store.caughtUp();
    const { revision } = store;
    await writePrivateFile(file, chunksOf(store), { check: checkWhole, flush: true });
    print(`${file} holds ${name} of revision ${revision}\n`);
    warnOfUnreadable(store);
  } catch (error) {
    throw startError(error);
  }
}

/** Warns of undecodable values that were not copied. */
export function warnOfUnreadable({ unreadable }: Store): void {
  const { size } = unreadable;
  if (size === 0) return;
  printError(`egret: ${size} values that cannot be read were left out: egret check lists them\n`);
}

const CHUNK_LENGTH = 64 * 1024;

async function* chunksOf(store: Store): AsyncGenerator<string> {
  using progress = new Progress("changes written:");
  let chunk = "";
  let lines = 0;
  for await (const line of backupLines(store)) {
    chunk += line;
    progress.show(++lines, 0);
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = "";
  }
  yield chunk;
}

/**
 * Restores a backup. A folder also gets the revisions of the backup; an etcd has its own. Existing contents are kept
 * unless --replace is set. Throws UsageError and StartError.
 */
export async function restorePlace(line: CommandLine, to: string, file: string): Promise<void> {
  const named = placeNamed(line, to);
  const { place, name } = named;
  const mayReplace = line.values.has("replace");
  if (place.type === "level" && !(mayReplace && (await holdsStore(place.folder))))
    return await restoreFolder(place.folder, file, storedScreen(named.options));
  await using store = await open(named);
  const isNew = isEmpty(store);
  if (!isNew && !mayReplace)
    throw new StartError(`${name} holds something already: choose another place, or say --replace`);
  const source = { name: file, lines: () => linesOf(file), screen: storedScreen(named.options) };
  using progress = new Progress("restored");
  try {
    const { keys, revision } = isNew
      ? await fillStore(source, store, (done, of) => progress.show(done, of))
      : await replaceState(source, store);
    progress.clear();
    const restored = `${name} holds the ${keys} keys that were there at revision ${revision}`;
    print(`${restored}; resource versions are new\n`);
  } catch (error) {
    throw error instanceof LayoutError
      ? new StartError(`${error.key}: ${error.message}`, { cause: error })
      : startError(error);
  }
}
