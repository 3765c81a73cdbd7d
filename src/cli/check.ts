// `egret check`: verifies a store that no server uses, by record and by object. --repair exports broken objects to a
// file and removes them.

import { systemClock } from "../apimachinery/meta/clock.ts";
import { writePrivateFile } from "../apimachinery/meta/files/private-file.ts";
import { createLog } from "../apiserver/http/log.ts";
import { StartError, UsageError } from "../server/errors.ts";
import { readOptions, type ServerOptions } from "../server/options/options.ts";
import type { CommandLine } from "../server/options/read-command-line.ts";
import { describePlace, storageBackendOf } from "../server/storage-backend.ts";
import { openStore } from "../server/store.ts";
import { storedScreen } from "../server/stored-screen.ts";
import { checkStore, type StoreReport } from "../storage/level/check-store.ts";
import { EVERY_KEY, type Store } from "../storage/store.ts";
import { isThere, startError } from "./backup-file.ts";
import { type BrokenObject, brokenObjects, exportedLine } from "./broken-objects.ts";
import { print } from "./output.ts";

/** Maximum number of removed objects per commit. */
const REMOVED_AT_ONCE = 100;
/** Maximum number of problems that are listed; a repair exports all of them. */
const LISTED_MAX = 100;

/** Throws UsageError and StartError. */
export async function check({ values, words }: CommandLine): Promise<number> {
  if (words.length > 0) throw new UsageError(`say --data-dir ${words[0]}`);
  const options = readOptions(values);
  const file = values.get("repair");
  try {
    const report = await reportOn(options);
    if (typeof file !== "string" || report.problems.length === 0) return printReport(options, report);
    printReport(options, report);
    return await repair(options, file);
  } catch (error) {
    throw startError(error);
  }
}

interface Report extends Pick<StoreReport, "objects" | "compacted" | "revision" | "problems"> {
  readonly format?: string;
  readonly records?: number;
}

const lineOf = ({ key, reason }: BrokenObject): string => `${key}: ${reason}`;

async function reportOn(options: ServerOptions): Promise<Report> {
  const place = storageBackendOf(options);
  if (place.type === "memory")
    throw new UsageError("what is in memory cannot be checked: name a folder or an etcd");
  const problemsOf = (state: Pick<Store, "list" | "unreadable">) => brokenObjects(state).map(lineOf);
  if (place.type === "level")
    return await checkStore(place.folder, { screen: storedScreen(options), problemsOf });
  await using store = await open(options);
  const { compactedRevision: compacted, revision } = store;
  return { objects: store.count(EVERY_KEY), compacted, revision, problems: problemsOf(store) };
}

/** Decodes every value, even if a server start has already verified it. */
function open(options: ServerOptions): Promise<Store> {
  const screen = storedScreen(options);
  return openStore(options, systemClock, createLog("silent"), (kv) => screen(kv, true));
}

function printReport(
  options: ServerOptions,
  { format, records, objects, compacted, revision, problems }: Report,
): number {
  const more = problems.length - LISTED_MAX;
  const kept = format === undefined ? "" : `format ${format}, ${records} records, `;
  const lines = [
    `${describePlace(storageBackendOf(options))}: ${kept}${objects} objects`,
    `revisions ${compacted} to ${revision} can be read`,
    ...problems.slice(0, LISTED_MAX).map((problem) => `WRONG: ${problem}`),
    ...(more > 0 ? [`WRONG: ${more} more`] : []),
    problems.length === 0 ? "nothing is wrong" : `${problems.length} things are wrong`,
  ];
  print(`${lines.join("\n")}\n`);
  return problems.length === 0 ? 0 : 1;
}

/** Removes nothing until the export of all broken objects is on disk. */
async function repair(options: ServerOptions, file: string): Promise<number> {
  if (await isThere(file))
    throw new StartError(`${file} exists already: name another file for what is removed`);
  await using store = await open(options);
  await store.caughtUp();
  const broken = brokenObjects(store);
  await writePrivateFile(file, exportOf(store, broken), { flush: true });
  for (let start = 0; start < broken.length; start += REMOVED_AT_ONCE) {
    const some = broken.slice(start, start + REMOVED_AT_ONCE);
    await store.commit(
      some.map(({ key, modRevision }) => ({ type: "delete", key, ifModRevision: modRevision })),
    );
  }
  print(`${broken.length} objects were written to ${file} and removed from the store\n`);
  return 0;
}

async function* exportOf(store: Store, broken: readonly BrokenObject[]): AsyncGenerator<string> {
  for (const one of broken)
    yield exportedLine(one, one.kv?.value ?? (await store.bytesOfUnreadable(one.key)));
}
