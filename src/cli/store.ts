// `egret backup`: copies the store of a running server into a file. `egret restore`: creates a store from such a file;
// the name of a snapshot is restored in the running server instead.

import { writePrivateFile } from "../apimachinery/meta/files/private-file.ts";
import { Connection } from "../apiserver/http/kubeconfig/client.ts";
import { StartError } from "../server/errors.ts";
import { DEFAULT_OPTIONS } from "../server/options/options.ts";
import { type CommandLine, type Environment, textOf } from "../server/options/read-command-line.ts";
import { BACKUP_PATH } from "../server/paths.ts";
import { askedBy, kubeconfigOf, rejectKnown } from "./ask-server.ts";
import { checkWhole, isThere, onlyWord, startError } from "./backup-file.ts";
import { print } from "./output.ts";
import { restoreFolder } from "./restore-folder.ts";

/** The file appears under its name only when it is complete. Throws UsageError and StartError. */
export async function backup(line: CommandLine, env: Environment): Promise<void> {
  const file = onlyWord(line, "backup");
  const from = line.values.get("from");
  if (typeof from === "string") {
    const { backupPlace } = await import("./backup-place.ts");
    return await backupPlace(line, from, file);
  }
  const kubeconfig = await kubeconfigOf(line.values, env);
  try {
    const body = await new Connection(kubeconfig).get(BACKUP_PATH).catch(rejectKnown);
    await writePrivateFile(file, body, { check: checkWhole, flush: true });
  } catch (error) {
    throw startError(error);
  }
  print(`${file} holds the store\n`);
}

/** The folder must not hold a store. An incomplete one is removed after a failure. Throws UsageError and StartError. */
export async function restore(line: CommandLine, env: Environment): Promise<void> {
  const file = onlyWord(line, "restore");
  const to = line.values.get("to");
  if (typeof to === "string") {
    const { restorePlace } = await import("./backup-place.ts");
    return await restorePlace(line, to, file);
  }
  if (!line.values.has("data-dir") && !/[/\\]/.test(file) && !(await isThere(file)))
    return await restoreSnapshot(file, line, env);
  const { storedScreen } = await import("../server/stored-screen.ts");
  const dataDir = textOf(line.values, "data-dir", DEFAULT_OPTIONS.dataDir);
  await restoreFolder(dataDir, file, storedScreen(DEFAULT_OPTIONS));
}

async function restoreSnapshot(name: string, line: CommandLine, env: Environment): Promise<void> {
  const { snapshot } = await import("./state.ts");
  try {
    await snapshot(askedBy({ ...line, words: ["restore", name] }, env));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    throw new StartError(`${name} is no file, and no snapshot either: ${error.message}`, { cause: error });
  }
}
