// Answers about built-in kinds as raw text, compared byte for byte with a kube-apiserver's, except ids, revisions and
// write times. The requests build on each other and run in the order of the file.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CaseOutcome } from "./compare.ts";
import type { Reply, Target } from "./target.ts";

/** The name of the file for the runner and for the list of known differences. */
export const TEXTS = "texts";

const SHOWN_BEFORE = 60;
const SHOWN_AFTER = 120;

interface TextStep {
  readonly method: string;
  readonly path: string;
  /** The content type of the body; omitted: JSON. */
  readonly type?: string;
  readonly body?: unknown;
  readonly status: number;
  readonly text: string;
  /** The kube-apiserver's answer varies: the request is sent, but its answer is not compared. */
  readonly loose?: boolean;
}

interface TextCase {
  /** Version and kind: "apps/v1 DaemonSet". */
  readonly about: string;
  readonly steps: readonly TextStep[];
}

interface NamedStep {
  /** Kind, object and step, counted from 1: "v1 Secret/2/5 PATCH". */
  readonly name: string;
  readonly kind: string;
  readonly step: TextStep;
}

function readSteps(): NamedStep[] {
  const cases = JSON.parse(readFileSync(join(import.meta.dirname, "../texts.json"), "utf8")) as TextCase[]; // a file of this repository
  const seen = new Map<string, number>();
  return cases.flatMap(({ about: kind, steps }) => {
    const nth = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, nth);
    return steps.map((step, at) => ({ name: `${kind}/${nth}/${at + 1} ${step.method}`, kind, step }));
  });
}

const compared = (steps: readonly NamedStep[]): NamedStep[] => steps.filter(({ step }) => !step.loose);

export const textNames = (): string[] => compared(readSteps()).map(({ name }) => name);
export const textKinds = (): string[] => [...new Set(compared(readSteps()).map(({ kind }) => kind))];

/** Sends everything. Returns the outcome of each answer whose name contains `only`. */
export async function runTexts(target: Target, only = ""): Promise<CaseOutcome[]> {
  const outcomes: CaseOutcome[] = [];
  for (const { name, step } of readSteps()) {
    const { method, path, type, body } = step;
    const headers = type === undefined ? {} : { "content-type": type };
    const reply = await target.send({ method, path, headers, ...(body === undefined ? {} : { body }) });
    if (method === "DELETE") await removeFinalizer(target, path);
    if (!step.loose && name.includes(only)) outcomes.push(outcomeOf(name, step, reply));
  }
  return outcomes;
}

/** Removes the finalizers of an object, because no controller runs that would remove them. */
async function removeFinalizer(target: Target, path: string): Promise<void> {
  const headers = { "content-type": "application/merge-patch+json" };
  await target.send({ method: "PATCH", path, headers, body: { metadata: { finalizers: null } } });
}

function outcomeOf(name: string, { method, path, status, text }: TextStep, reply: Reply): CaseOutcome {
  const lines = [
    ...(reply.status === status ? [] : [`status: expected ${status}, got ${reply.status}`]),
    ...textDifference(withoutChance(text), withoutChance(reply.raw)),
  ];
  const differences = lines.length === 0 ? [] : [{ step: 0, call: `${method} ${path}`, lines }];
  return { name, equal: lines.length === 0, differences };
}

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const REVISION = /"resourceVersion":"\d+"/g;
const TIME =
  /"(creationTimestamp|deletionTimestamp|time|firstTimestamp|lastTimestamp|lastTransitionTime)":"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"/g;

export const withoutChance = (text: string): string =>
  text.replace(UID, "<uid>").replace(REVISION, '"resourceVersion":"<rv>"').replace(TIME, '"$1":"<time>"');

/** Excerpts of both texts around their first difference. */
export function textDifference(expected: string, actual: string): string[] {
  if (expected === actual) return [];
  let at = 0;
  while (expected[at] === actual[at]) at++;
  const shown = (text: string) =>
    JSON.stringify(text.slice(Math.max(0, at - SHOWN_BEFORE), at + SHOWN_AFTER));
  return [`at ${at}: expected ${shown(expected)}`, `got ${shown(actual)}`];
}
