// `egret explain`, `egret trace` and `egret plan`: why things are as they are, and what would be, asked of a running server, of any cluster with
// ovn-kubernetes, or of files.
import process from "node:process";
import { stringify } from "yaml";
import { type GivenFacts, type NodeLoss, type PlannedChange, Verdicts } from "../control/verdict/verdicts.ts";
import type { OutgoingRequest } from "../http/kubeconfig-client.ts";
import { append } from "../meta/lists.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { StatusError } from "../meta/status.ts";
import { StartError, UsageError } from "../server/errors.ts";
import { EGRESS_IP_CONFIG } from "../verdict/assignment/cidr-lists.ts";
import { Cluster } from "../verdict/cluster/cluster.ts";
import type { Difference } from "../verdict/compare.ts";
import type { Explanation } from "../verdict/explain/explanation.ts";
import { DEFAULT_FACTS, GATEWAY_MODES } from "../verdict/snapshot.ts";
import {
  asMarkdown,
  asText,
  type Block,
  blocksOfDifference,
  blocksOfExplanation,
  blocksOfLosses,
  blocksOfTrace,
} from "../verdict/tell.ts";
import type { Trace } from "../verdict/trace/trace.ts";
import { PROTOCOLS, type Protocol } from "../verdict/trace/way.ts";
import { objectsOf } from "./apply.ts";
import type { Asked } from "./ask-server.ts";
import { filedSnapshot, listedSnapshot, minimalRole } from "./read-cluster.ts";

/** Throws UsageError and StartError. */
export async function explain(asked: Asked): Promise<void> {
  if (asked.isSet("rbac")) {
    process.stdout.write(stringify(minimalRole()));
    return;
  }
  const [kind, name, ...more] = asked.words.flatMap((word) => word.split("/"));
  if (kind === undefined || name === undefined || more.length > 0) {
    throw new UsageError("say what to explain: egret explain KIND NAME");
  }
  const namespace = asked.text("namespace") ?? "default";
  const facts = factsOf(asked);
  const given = asked.text("since");
  const since = given === undefined ? {} : { since: given };
  const question = {
    method: "POST",
    path: "/explain",
    body: { kind, namespace, name, facts, ...since },
  } as const;
  const local = (verdicts: Verdicts) => verdicts.explain(kind, namespace, name, facts);
  tell(asked, await verdictOf<Explanation>(asked, question, local), blocksOfExplanation);
}

/** Throws UsageError and StartError. */
export async function trace(asked: Asked): Promise<void> {
  const [from = "", ...more] = asked.words;
  const [what, namespace, pod, ...rest] = from.split("/");
  const to = asked.text("to");
  if (what !== "pod" || namespace === undefined || pod === undefined || rest.length + more.length > 0) {
    throw new UsageError("say which pod sends: egret trace pod/NAMESPACE/NAME --to DESTINATION");
  }
  if (to === undefined) throw new UsageError("say where to: egret trace pod/NAMESPACE/NAME --to DESTINATION");
  const protocol = asked.text("protocol") ?? "tcp";
  const facts = factsOf(asked);
  const reply = asked.isSet("reply");
  const question = {
    method: "POST",
    path: "/trace",
    body: { namespace, pod, to, protocol, reply, facts },
  } as const;
  const packet = reply ? "reply" : "new";
  const local = (verdicts: Verdicts) =>
    verdicts.trace({ namespace, pod, to, protocol: protocolIn(protocol), packet }, facts);
  tell(asked, await verdictOf<Trace>(asked, question, local), blocksOfTrace);
}

const protocolIn = (text: string): Protocol => PROTOCOLS.find((one) => one === text) ?? "tcp"; // the flag has no other

/**
 * Of files, of the server where that is Egret and lets the caller ask it, else of a cluster by its lists. Throws
 * StartError.
 */
async function verdictOf<T>(
  asked: Asked,
  question: OutgoingRequest,
  local: (verdicts: Verdicts) => T,
): Promise<T> {
  const files = asked.texts("from");
  const answer = files.length > 0 ? undefined : await asked.askEgret<T>(question);
  if (answer !== undefined) return answer;
  const snapshot = files.length > 0 ? await filedSnapshot(files) : await listedSnapshot(asked);
  const onCloud = [...snapshot.list("nodes")].some(
    ({ metadata }) => metadata.annotations?.[EGRESS_IP_CONFIG] !== undefined,
  );
  const clusterSubnets = asked.text("cluster-subnets");
  const own = { ...DEFAULT_FACTS, onCloud, ...(clusterSubnets === undefined ? {} : { clusterSubnets }) };
  const verdicts = new Verdicts({
    cluster: (given) => new Cluster(snapshot, { ...own, ...given }),
    moves: () => Promise.resolve([]),
    whatIf: () => Promise.reject(new StartError("a plan needs a server that is Egret")),
  });
  try {
    return local(verdicts);
  } catch (error) {
    if (error instanceof StatusError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}

function tell<T>(asked: Asked, value: T, blocksOf: (value: T) => Block[]): void {
  process.stdout.write(inForm(asked.text("output") ?? "text", value, blocksOf));
}

function inForm<T>(form: string, value: T, blocksOf: (value: T) => Block[]): string {
  switch (form) {
    case "json":
      return `${JSON.stringify(value, undefined, 2)}\n`;
    case "yaml":
      return stringify(value);
    case "markdown":
      return asMarkdown(blocksOf(value));
    default:
      return asText(blocksOf(value));
  }
}

/** Throws UsageError. */
function factsOf(asked: Asked): GivenFacts {
  const gatewayMode = GATEWAY_MODES.find((mode) => mode === asked.text("gateway-mode"));
  const names = new Map<string, string[]>();
  for (const [name, address] of pairs(asked, "resolve"))
    names.set(name, [...(names.get(name) ?? []), address]);
  return {
    ...(gatewayMode === undefined ? {} : { gatewayMode }),
    ...(asked.isSet("disable-snat-multiple-gws") ? { disableSnatMultipleGateways: true } : {}),
    names: Object.fromEntries(names),
    tables: Object.fromEntries(pairs(asked, "table")),
  };
}

/** The two sides of NAME=VALUE. */
function pairs(asked: Asked, flag: string): [string, string][] {
  return asked.texts(flag).map((given) => {
    const at = given.indexOf("=");
    if (at <= 0) throw new UsageError(`--${flag} ${given} is no NAME=VALUE`);
    return [given.slice(0, at), given.slice(at + 1)];
  });
}

/** Throws UsageError and StartError. */
export async function plan(asked: Asked): Promise<number> {
  const platform = asked.text("platform");
  const options = platform === undefined ? {} : { platform };
  const changes = await changesOf(asked);
  if (asked.text("every") === "node") {
    if (changes.length > 0) throw new UsageError("--every stands alone");
    const { items } = await asked.json<{ items: readonly NodeLoss[] }>({
      method: "POST",
      path: "/plan/nodes",
      body: options,
    });
    tell(asked, items, blocksOfLosses);
    return items.some((loss) => isBad(asked, loss)) ? 1 : 0;
  }
  if (changes.length === 0)
    throw new UsageError("say what would change: --delete, --label, --not-ready, -f or --every node");
  const difference = await asked.json<Difference>({
    method: "POST",
    path: "/plan",
    body: { changes, ...options },
  });
  tell(asked, difference, blocksOfDifference);
  return isBad(asked, difference) ? 1 : 0;
}

/** In the order of the kinds of changes: what is applied, then labels, nodes, and what goes. */
async function changesOf(asked: Asked): Promise<PlannedChange[]> {
  const objects: KubeObject[] = [];
  for (const path of asked.texts("filename")) append(objects, await objectsOf(path));
  return [
    ...objects.map((apply) => ({ apply })),
    ...labelsOf(asked),
    ...asked.texts("not-ready").map((notReady) => ({ notReady })),
    ...asked.texts("delete").map((gone) => ({ delete: gone })),
  ];
}

/** Each --label has its word: KEY=VALUE, or KEY- to take it away. */
function labelsOf(asked: Asked): PlannedChange[] {
  const objects = asked.texts("label");
  if (objects.length !== asked.words.length) {
    throw new UsageError("say which label: egret plan --label node/n1 KEY=VALUE, or KEY- to take it away");
  }
  return objects.map((label, index) => {
    const word = asked.words[index] ?? "";
    const at = word.indexOf("=");
    if (at < 0 && !word.endsWith("-")) throw new UsageError(`${word} is no KEY=VALUE, and no KEY-`);
    const labels = at < 0 ? { [word.slice(0, -1)]: null } : { [word.slice(0, at)]: word.slice(at + 1) };
    return { label, labels };
  });
}

function isBad(asked: Asked, { moved, pods, refused }: Difference): boolean {
  const on = new Set(asked.texts("fail-on"));
  if (on.has("unassigned") && moved.some(({ to }) => to === undefined)) return true;
  if (on.has("move") && moved.some(({ from, to }) => from !== undefined && to !== undefined)) return true;
  return on.has("denied") && (refused.length > 0 || pods.some(({ to }) => /dropped|unreachable/.test(to)));
}
