// `egret check`: reads all of a store that nobody serves from and says what is in it and what is wrong.
import process from "node:process";
import { parseArgs } from "node:util";
import { DEFAULT_OPTIONS } from "../options.ts";
import { UsageError } from "../server/command-line/usage-error.ts";
import { StartError } from "../server/start-error.ts";
import { checkStore } from "../storage/level/check-store.ts";
import { StoreError } from "../storage/store-error.ts";

const HELP = `Usage: egret check [--data-dir DIR]

Reads a store while no server uses it. Exits 0 when all of it is sound, 1 when something is wrong.
`;

export async function check(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { help, dataDir } = readFlags(args, env);
  if (help) {
    process.stdout.write(HELP);
    return 0;
  }
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

function readFlags(args: readonly string[], env: NodeJS.ProcessEnv) {
  const options = { "data-dir": { type: "string" }, help: { type: "boolean" } } as const;
  try {
    const { values } = parseArgs({ args: [...args], options, allowPositionals: false });
    const dataDir = values["data-dir"] ?? env["EGRET_DATA_DIR"] ?? DEFAULT_OPTIONS.dataDir;
    return { help: values.help === true, dataDir };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
