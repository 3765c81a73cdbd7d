// `egret export`: what people have put into a running server, as YAML that any server takes.
import process from "node:process";
import { CONTROL_PREFIX } from "../control/control-route.ts";
import { UsageError } from "../server/command-line/usage-error.ts";
import { type Environment, readAsked } from "./ask-server.ts";

const HELP = `Usage: egret export [KIND[,KIND]…] [--namespace NAME] [--selector LABELS] [--full] [--output yaml|json]

Prints the objects that people have put in, without what a server writes of itself.

  -n, --namespace NAME   objects of this namespace alone
  -l, --selector LABELS  objects with these labels alone
  --full                 all objects as they are, with status, uid and managedFields
  -o, --output FORM      yaml (default) or json
`;

/** Throws UsageError and StartError. */
export async function exportCommand(args: readonly string[], env: Environment): Promise<number> {
  const flags = {
    namespace: { type: "string", short: "n" },
    selector: { type: "string", short: "l" },
    output: { type: "string", short: "o" },
    full: { type: "boolean" },
  } as const;
  const asked = readAsked({ args, env, help: HELP }, flags);
  if (asked === undefined) return 0;
  const { namespace, selector, output = "yaml", full } = asked.values;
  if (output !== "yaml" && output !== "json")
    throw new UsageError(`--output ${output} is none of yaml, json`);
  const query = new URLSearchParams({ format: output });
  if (asked.words.length > 0) query.set("kinds", asked.words.join(","));
  if (typeof namespace === "string") query.set("namespace", namespace);
  if (typeof selector === "string") query.set("labelSelector", selector);
  if (full === true) query.set("full", "true");
  process.stdout.write(await asked.ask({ method: "GET", path: `${CONTROL_PREFIX}/export?${query}` }));
  return 0;
}
