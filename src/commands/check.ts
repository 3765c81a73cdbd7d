// `egret check`: reads all of a store that nobody serves from and says what is in it and what is wrong.

import process from "node:process";
import { type CommandLine, textOf } from "../server/command-line/read-command-line.ts";
import { StartError, UsageError } from "../server/errors.ts";
import { DEFAULT_OPTIONS } from "../server/options/options.ts";
import { checkStore } from "../storage/level/check-store.ts";
import { StoreError } from "../storage/store.ts";

/** Throws UsageError and StartError. */
export async function check({ values, words }: CommandLine): Promise<number> {
  if (words.length > 0) throw new UsageError(`say --data-dir ${words[0]}`);
  const dataDir = textOf(values, "data-dir", DEFAULT_OPTIONS.dataDir);
  try {
    const { format, compacted, revision, records, objects, problems } = await checkStore(dataDir);
    const lines = [
      `${dataDir}: format ${format}, ${records} records, ${objects} objects`,
      `revisions ${compacted} to ${revision} can be read`,
      ...problems.map((problem) => `WRONG: ${problem}`),
      problems.length === 0 ? "nothing is wrong" : `${problems.length} things are wrong`,
    ];
    process.stdout.write(`${lines.join("\n")}\n`);
    return problems.length === 0 ? 0 : 1;
  } catch (error) {
    throw error instanceof StoreError ? new StartError(error.message, { cause: error }) : error;
  }
}
