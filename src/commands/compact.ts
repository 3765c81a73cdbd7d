// `egret compact`: makes a running server forget its past, so that clients meet the 410 of a server that has done so.
import process from "node:process";
import { CONTROL_PREFIX } from "../control/control-route.ts";
import type { CompactedStore } from "../control/history/history-keeper.ts";
import { UsageError } from "../server/command-line/usage-error.ts";
import { type Environment, readAsked } from "./ask-server.ts";

const HELP = `Usage: egret compact REVISION

Forgets all states before a revision. Lists and watches that begin at one of them are answered with 410 Expired.
`;

/** Throws UsageError and StartError. */
export async function compact(args: readonly string[], env: Environment): Promise<number> {
  const asked = readAsked({ args, env, help: HELP });
  if (asked === undefined) return 0;
  const [revision, ...more] = asked.words;
  if (revision === undefined || more.length > 0)
    throw new UsageError("say up to where: egret compact REVISION");
  const text = await asked.ask({ method: "POST", path: `${CONTROL_PREFIX}/compact`, body: { revision } });
  const { oldestRevision, revision: newest } = JSON.parse(text) as CompactedStore; // what POST /compact answers
  process.stdout.write(`revisions ${oldestRevision} to ${newest} can be read\n`);
  return 0;
}
