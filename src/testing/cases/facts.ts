// Compares a case's expectations with the state of its server.

import { isObject } from "../../apimachinery/json/json.ts";
import { parseIp } from "../../apimachinery/meta/ip.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { StatusError } from "../../apimachinery/meta/status.ts";
import type { GivenFacts } from "../../features/analysis/store-snapshot.ts";
import type { WaitOutcome } from "../../features/waits/wait-for.ts";
import { explainableBy } from "../../ovn/explain/explain.ts";
import type { AddressAnswer, EgressIpExplanation } from "../../ovn/explain/explain-egress-ip.ts";
import type { Explanation } from "../../ovn/explain/explanation.ts";
import { brokenClaims } from "../../ovn/trace/claims.ts";
import type { Server } from "../../server/server.ts";
import type { CelFact, ExplainFact, Fact, FactDifference, TraceFact } from "./format.ts";
import { namedQueries } from "./read-case.ts";

export interface Finding {
  readonly differences: readonly FactDifference[];
  /** The summary of the explanation. */
  readonly because?: string;
}

export interface World {
  readonly server: Server;
  readonly facts: GivenFacts;
  /** Messages of the changes that the server rejected in this step. */
  readonly refusals: readonly string[];
}

/** Throws a StatusError for an invalid expectation. */
export async function lookAt(world: World, fact: Fact): Promise<Finding> {
  if ("cel" in fact) return await lookAtCondition(world, fact);
  if ("explain" in fact) return lookAtExplanation(world, fact);
  if ("trace" in fact) return lookAtTrace(world, fact);
  const { refusals } = world;
  const found = refusals.length === 0 ? "nothing was refused" : refusals.join("; ");
  return finding(
    refusals.some((text) => text.includes(fact.refused)) ? [] : [[`refused: ${fact.refused}`, found]],
  );
}

export function factInWords(fact: Fact): string {
  if ("cel" in fact) return fact.cel;
  if ("explain" in fact) return `explain ${fact.explain}`;
  return "trace" in fact ? `trace ${fact.trace} to ${fact.to}` : "refused";
}

const finding = (
  pairs: readonly (readonly [expected: string, found: string])[],
  because?: string,
): Finding => ({
  differences: pairs.map(([expected, found]) => ({ expected, found })),
  ...(because === undefined ? {} : { because }),
});

async function lookAtCondition(world: World, { cel, ...asked }: CelFact): Promise<Finding> {
  const { verdict, values } = await world.server.control.waits.now({
    queries: namedQueries(asked),
    condition: cel,
  });
  if (verdict === true) return finding([]);
  const problem = verdict === "false" ? [] : [verdict];
  const found = [...problem, ...Object.entries(values).map(([name, value]) => `${name}: ${inShort(value)}`)];
  return finding([[cel, found.join("; ")]], reasonOf(world, values));
}

const TEXT_MAX = 1500;

/** One object as JSON without server-set metadata, or the names of several. */
function inShort(value: WaitOutcome["values"][string] | undefined): string {
  if (value === null || value === undefined) return "there is none";
  if (!isOne(value))
    return value.length === 0 ? "there are none" : value.map(({ metadata }) => metadata.name).join(", ");
  const { apiVersion: _apiVersion, kind, metadata, ...members } = value;
  const { name, labels, annotations } = metadata;
  const text = JSON.stringify({ kind, name, labels, annotations, ...members });
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
}

const isOne = (value: NonNullable<WaitOutcome["values"][string]>): value is KubeObject =>
  !Array.isArray(value);

/** The explanation of the only object of a condition, if its kind can be explained. */
function reasonOf(world: World, values: WaitOutcome["values"]): string | undefined {
  const [value, ...more] = Object.values(values);
  if (more.length > 0 || !isObject(value)) return undefined;
  const { kind = "", metadata } = value as KubeObject; // queries return objects
  const word = kind.toLowerCase();
  if (!explainableBy(word)) return undefined;
  return explainedAs(world, word, metadata.namespace ?? "", metadata.name ?? "").summary;
}

const explainedAs = ({ server, facts }: World, word: string, namespace: string, name: string): Explanation =>
  server.control.verdicts.explain(word, namespace, name, facts);

const many = (given: string | readonly string[] | undefined): readonly string[] | undefined =>
  typeof given === "string" ? [given] : given;

/** The wanted parts that no text contains. */
const lacking = (wanted: readonly string[] | undefined, texts: readonly string[]): string[] =>
  (wanted ?? []).filter((part) => !texts.some((text) => text.includes(part)));

const toldAs = (texts: readonly string[], none: string): string =>
  texts.length === 0 ? none : [...new Set(texts)].join("; ");

function lookAtExplanation(world: World, fact: ExplainFact): Finding {
  const [word = "", first = "", second] = fact.explain.split("/");
  const [namespace, name] = second === undefined ? ["default", first] : [first, second];
  let explanation: Explanation;
  try {
    explanation = explainedAs(world, word, namespace, name);
  } catch (error) {
    if (!(error instanceof StatusError && error.code === 404)) throw error;
    return finding([[`${fact.explain} to be there`, error.message]]);
  }
  const { summary, advice, sections } = explanation;
  const reasons = reasonsOf(explanation);
  const own = explanation.reasons.map(({ text }) => text);
  const rows = sections.flatMap((section) => section.rows.map((row) => row.join(" ")));
  const wanted = many(fact.reasons);
  const pairs: (readonly [string, string])[] = [
    ...addressesThatDiffer(fact, explanation),
    ...lacking(many(fact.says), [summary]).map((part) => [part, summary] as const),
    ...(wanted?.length === 0 && own.length > 0 ? [["no reasons", toldAs(own, "")] as const] : []),
    ...lacking(wanted, reasons).map((part) => [part, toldAs(reasons, "no reasons")] as const),
    ...lacking(many(fact.advice), advice).map((part) => [part, toldAs(advice, "no advice")] as const),
    ...lacking(many(fact.tells), rows).map((part) => [part, toldAs(rows, "no tables")] as const),
  ];
  return finding(
    pairs,
    pairs.length === 0 ? undefined : [summary, ...whyNotThere(fact, explanation)].join("; "),
  );
}

/** The reasons why addresses are not on their expected nodes. */
function whyNotThere({ addresses = {} }: ExplainFact, explanation: Explanation): string[] {
  return Object.entries(addresses).flatMap(([address, node]) => {
    const answer = answerFor(address, explanation);
    if (answer === undefined || answer.node === undefined || answer.node === node) return [];
    const reasons = answer.nodes.find((one) => one.node === node)?.reasons ?? [];
    return reasons.length === 0 ? [] : [`${node} ${reasons.map(({ text }) => text).join(", ")}`];
  });
}

const isOfEgressIp = (explanation: Explanation): explanation is EgressIpExplanation =>
  explanation.kind === "EgressIP";

/** The reasons of the object, of its addresses, and of the nodes for these. */
function reasonsOf(explanation: Explanation): string[] {
  const ofNodes = isOfEgressIp(explanation)
    ? explanation.addresses.flatMap(({ nodes }) => nodes.flatMap(({ reasons }) => reasons))
    : [];
  return [...explanation.reasons, ...ofNodes].map(({ text }) => text);
}

function addressesThatDiffer(
  { addresses = {} }: ExplainFact,
  explanation: Explanation,
): (readonly [string, string])[] {
  return Object.entries(addresses).flatMap(([address, node]) => {
    const answer = answerFor(address, explanation);
    if (answer === undefined) return [[`${address} to be one of its addresses`, "it is none"] as const];
    const found = answer.node ?? null;
    return found === node ? [] : [[placed(address, node), placed(address, found)] as const];
  });
}

/** Compares addresses independent of their notation. */
function answerFor(address: string, explanation: Explanation): AddressAnswer | undefined {
  const canonical = parseIp(address)?.text ?? address;
  const answers = isOfEgressIp(explanation) ? explanation.addresses : [];
  return answers.find((one) => (parseIp(one.address)?.text ?? one.address) === canonical);
}

const placed = (address: string, node: string | null): string =>
  node === null ? `${address} without a node` : `${address} on ${node}`;

function lookAtTrace({ server, facts }: World, fact: TraceFact): Finding {
  const [, namespace = "", pod = ""] = fact.trace.split("/");
  const { to, protocol = "tcp", reply = false, verdict, deniedBy, dscp, unused = {} } = fact;
  const packet = reply ? "reply" : "new";
  const traced = server.control.verdicts.trace({ namespace, pod, to, protocol, packet }, facts);
  const [leavesBy, leavesFrom] = [many(fact.leavesBy), many(fact.leavesFrom)];
  const broken = brokenClaims(traced, {
    ...(verdict === undefined ? {} : { verdict }),
    ...(deniedBy === undefined ? {} : { deniedBy }),
    ...(dscp === undefined ? {} : { dscp }),
    ...(leavesBy === undefined ? {} : { leavesBy }),
    ...(leavesFrom === undefined ? {} : { leavesFrom }),
  });
  const unusedPairs = Object.entries(unused).flatMap(([name, part]) => {
    const reasons = traced.unusedEgressIps.find((one) => one.name === name)?.reasons.map(({ text }) => text);
    const wanted = `EgressIP ${name} not to be used: ${part}`;
    if (reasons === undefined) return [[wanted, "nothing is said of it"] as const];
    return lacking([part], reasons).map(() => [wanted, reasons.join("; ")] as const);
  });
  const pairs = [...broken.map((expected) => [expected, traced.summary] as const), ...unusedPairs];
  const [first] = traced.unusedEgressIps.flatMap(({ name, reasons }) =>
    reasons.map(({ text }) => `EgressIP ${name} is not used: ${text}`),
  );
  return finding(pairs, pairs.length === 0 ? undefined : first);
}
