// `egret explain` and `egret plan`: explanations of objects and effects of changes, for a running server, any cluster
// with ovn-kubernetes, or files.

import process from "node:process";
import { shown, shownInLine } from "../apimachinery/meta/terminal-text.ts";
import { yamlOf } from "../apiserver/endpoints/response/to-yaml.ts";
import type { OutgoingRequest } from "../apiserver/http/kubeconfig/client.ts";
import { PLATFORMS } from "../controller/emulated-release.ts";
import type { GivenFacts } from "../features/analysis/store-snapshot.ts";
import type { NodeLoss, Verdicts } from "../features/analysis/verdicts.ts";
import type { Difference } from "../ovn/compare.ts";
import type { Explanation } from "../ovn/explain/explanation.ts";
import { GATEWAY_MODES, ISOLATIONS, ON_OFF, TRANSPORTS } from "../ovn/snapshot.ts";
import {
  asMarkdown,
  asText,
  type Block,
  blocksOfDifference,
  blocksOfExplanation,
  blocksOfLosses,
} from "../ovn/tell.ts";
import { StartError, UsageError } from "../server/errors.ts";
import type { Asked } from "./ask-server.ts";
import { farVerdicts, orStartError, type Purpose, toExplain, toPlan } from "./far-verdicts.ts";
import { print, printDocument, printStyled } from "./output.ts";
import { changesOf, isBad } from "./planned-changes.ts";
import { minimalRole } from "./read-cluster.ts";
import { painterOf } from "./terminal.ts";

/** Throws UsageError and StartError. */
export async function explain(asked: Asked): Promise<void> {
  if (printsRole(asked)) return;
  const { kind, namespace, name } = explainedOf(asked);
  const facts = factsOf(asked);
  const given = asked.text("since");
  const since = given === undefined ? {} : { since: given };
  const question = {
    method: "POST",
    path: "/explain",
    body: { kind, namespace, name, facts, ...since },
  } as const;
  const local = (verdicts: Verdicts) => {
    if (given !== undefined)
      throw new StartError("only a server that is Egret keeps the past: leave --since away");
    return verdicts.explain(kind, namespace, name);
  };
  const here = { purpose: toExplain(kind), local };
  tell(asked, await verdictOf<Explanation>(asked, question, here), blocksOfExplanation);
}

/** Accepts `pod web -n shop`, `pod/web -n shop`, `pod shop/web`, and `pod/shop/web`, the form of trace and plan. */
function explainedOf(asked: Asked): { kind: string; namespace: string; name: string } {
  const [kind = "", first = "", second, ...more] = asked.words.flatMap((word) => word.split("/"));
  const given = asked.text("namespace");
  const namespace = second === undefined ? undefined : first;
  const name = second ?? first;
  if (kind === "" || name === "" || namespace === "" || more.length > 0) {
    throw new UsageError("say what to explain: egret explain KIND NAME, or KIND/NAMESPACE/NAME");
  }
  if (given !== undefined && namespace !== undefined && given !== namespace) {
    throw new UsageError(`two namespaces are named: ${namespace} and ${given}`);
  }
  return { kind, namespace: namespace ?? given ?? "default", name };
}

/**
 * Computes a verdict from files, on the server if it is an Egret that the user may access, else from lists of the
 * cluster. Throws StartError.
 */
export async function verdictOf<T>(
  asked: Asked,
  question: OutgoingRequest,
  { purpose, local }: { purpose: Purpose; local: (verdicts: Verdicts) => T | Promise<T> },
): Promise<T> {
  const isOfFiles = asked.texts("from").length > 0;
  const answer = isOfFiles ? undefined : await asked.askEgret<T>(question);
  if (answer !== undefined) return answer;
  const verdicts = await farVerdicts(asked, purpose, factsOf(asked));
  return orStartError((async () => local(verdicts))());
}

/** Prints the ClusterRole if --rbac is set; returns whether it did. */
export function printsRole(asked: Asked): boolean {
  if (asked.isSet("rbac")) printDocument(yamlOf(minimalRole()));
  return asked.isSet("rbac");
}

/** Prints a verdict in the format of --output. */
export function tell<T>(asked: Asked, value: T, blocksOf: (value: T) => Block[]): void {
  const form = asked.text("output") ?? "text";
  const blocks = () => blocksOf(value).map(shownBlock);
  if (form === "json") printDocument(`${JSON.stringify(value, undefined, 2)}\n`);
  else if (form === "yaml") printDocument(yamlOf(value));
  else if (form === "markdown") print(asMarkdown(blocks()));
  else printStyled(asText(blocks(), painterOf(process.env)));
}

/** Escapes control characters; cells and items stay on one line. */
function shownBlock(block: Block): Block {
  if (block.type === "sentence") return { ...block, text: shown(block.text) };
  const title = shown(block.title);
  if (block.type === "list") return { ...block, title, items: block.items.map(shownInLine) };
  return {
    ...{ ...block, title, columns: block.columns.map(shownInLine) },
    rows: block.rows.map((row) => row.map(shownInLine)),
  };
}

/** Throws UsageError. */
export function factsOf(asked: Asked): GivenFacts {
  const chosen = <const T extends string>(choices: readonly T[], flag: string): T | undefined =>
    choices.find((one) => one === asked.text(flag));
  const gatewayMode = chosen(GATEWAY_MODES, "gateway-mode");
  const transport = chosen(TRANSPORTS, "transport");
  const outboundSnat = chosen(ON_OFF, "outbound-snat");
  const advertisedIsolation = chosen(ISOLATIONS, "advertised-isolation");
  const names = new Map<string, string[]>();
  for (const [name, address] of pairs(asked, "resolve"))
    names.set(name, [...(names.get(name) ?? []), address]);
  return {
    ...(gatewayMode === undefined ? {} : { gatewayMode }),
    ...(transport === undefined ? {} : { transport }),
    ...(outboundSnat === undefined ? {} : { outboundSnat: outboundSnat === "enabled" }),
    ...(advertisedIsolation === undefined ? {} : { advertisedIsolation }),
    ...(asked.isSet("dns-name-resolver") ? { dnsNameResolver: true } : {}),
    ...(asked.isSet("disable-snat-multiple-gws") ? { disableSnatMultipleGateways: true } : {}),
    names: Object.fromEntries(names),
    tables: Object.fromEntries(pairs(asked, "table")),
  };
}

/** Splits values of the form NAME=VALUE. */
function pairs(asked: Asked, flag: string): [string, string][] {
  return asked.texts(flag).map((given) => {
    const at = given.indexOf("=");
    if (at <= 0) throw new UsageError(`--${flag} ${given} is no NAME=VALUE`);
    return [given.slice(0, at), given.slice(at + 1)];
  });
}

/** Throws UsageError and StartError. */
export async function plan(asked: Asked): Promise<number> {
  if (printsRole(asked)) return 0;
  const platform = PLATFORMS.find((one) => one === asked.text("platform"));
  const options = platform === undefined ? {} : { platform };
  const changes = await changesOf(asked);
  if (asked.text("every") === "node") {
    if (changes.length > 0) throw new UsageError("--every stands alone");
    const question = { method: "POST", path: "/plan/nodes", body: options } as const;
    const local = async (verdicts: Verdicts) => ({ items: await verdicts.planEveryNode(options) });
    const { items } = await verdictOf<{ items: readonly NodeLoss[] }>(asked, question, {
      purpose: toPlan(changes),
      local,
    });
    tell(asked, items, blocksOfLosses);
    return items.some((loss) => isBad(asked, loss)) ? 1 : 0;
  }
  if (changes.length === 0)
    throw new UsageError("say what would change: --delete, --label, --not-ready, -f or --every node");
  const question = { method: "POST", path: "/plan", body: { changes, ...options } } as const;
  const local = (verdicts: Verdicts) => verdicts.plan(changes, options);
  const difference = await verdictOf<Difference>(asked, question, { purpose: toPlan(changes), local });
  tell(asked, difference, blocksOfDifference);
  return isBad(asked, difference) ? 1 : 0;
}
