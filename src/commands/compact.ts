// `egret compact`: makes a running server forget its past, so that clients meet the 410 of a server that has done so.

import process from "node:process";
import { CONTROL_PREFIX } from "../control/control-route.ts";
import type { CompactedStore } from "../control/history/history-keeper.ts";
import type { CommandLine, Environment } from "../server/command-line/read-command-line.ts";
import { UsageError } from "../server/errors.ts";
import { askedBy } from "./ask-server.ts";

/** Throws UsageError and StartError. */
export async function compact(line: CommandLine, env: Environment): Promise<number> {
  const asked = askedBy(line, env);
  const [revision, ...more] = asked.words;
  if (revision === undefined || more.length > 0)
    throw new UsageError("say up to where: egret compact REVISION");
  const text = await asked.ask({ method: "POST", path: `${CONTROL_PREFIX}/compact`, body: { revision } });
  const { oldestRevision, revision: newest } = JSON.parse(text) as CompactedStore; // what POST /compact answers
  process.stdout.write(`revisions ${oldestRevision} to ${newest} can be read\n`);
  return 0;
}
