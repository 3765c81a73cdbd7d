// Runs one webhook case: executes its steps in order, normalises the answers and the calls of the webhook, and finally
// removes the created objects.
import type { Call } from "../case-file.ts";
import { type CaseOutcome, differencesBetween } from "../compare.ts";
import type { Reply, Target } from "../target.ts";
import {
  describeHookStep,
  fillKnown,
  type HookCase,
  type HookStep,
  type HookStepAnswer,
  type Known,
} from "./case-book.ts";
import type { SetupWorld } from "./effective.ts";
import type { HookCall } from "./hook.ts";
import { HookNormaliser } from "./hook-normaliser.ts";

const EVERYTHING = ["status", "warning", "body", "calls"] as const;
const COLLECT_MS = 2000;

export interface CaseWorld extends SetupWorld {
  /** The user name of the runner. */
  readonly caller: string;
  readonly known: Known;
}

export interface HookCaseRun {
  readonly answers: readonly HookStepAnswer[];
  readonly brokenOff?: string;
}

export async function runHookCase(testCase: HookCase, world: CaseWorld): Promise<HookCaseRun> {
  const { standing, hook, id, ca, caller } = world;
  const normaliser = new HookNormaliser({ id, ca, caller, address: hook.address });
  const answers: HookStepAnswer[] = [];
  const before = standing.count;
  try {
    for (const step of testCase.steps) {
      await hook.quiet(step.quiet ?? 0);
      hook.answers = { ...testCase.answers, ...step.answers };
      hook.take();
      const reply = await runStep(step, world);
      answers.push(comparedParts(step, reply, hook.take(), normaliser));
    }
    return { answers };
  } catch (error) {
    return { answers, brokenOff: error instanceof Error ? error.message : String(error) };
  } finally {
    await standing.removeDownTo(before);
  }
}

/** An answer, or the events of a watch. */
type StepReply = Pick<Reply, "status" | "headers" | "raw" | "body">;

async function runStep(step: HookStep, { target, standing, known }: CaseWorld): Promise<StepReply> {
  if (step.watch) return await runWatch(fillKnown(step.watch, known), target);
  if (!step.do) throw new Error("a step must have do or watch");
  const call = fillKnown(step.do, known);
  const reply = await target.send(call);
  const made = pathOfMade(call, reply);
  if (made !== undefined) standing.add(made);
  return reply;
}

function pathOfMade({ path: url }: Call, { status, body }: Reply): string | undefined {
  const [path = "", query = ""] = url.split("?");
  const name = (body as { readonly metadata?: { readonly name?: string } } | undefined)?.metadata?.name; // of what was made
  if (status !== 201 || !name || query.includes("dryRun=")) return undefined;
  return path.endsWith(`/${name}`) ? path : `${path}/${name}`;
}

async function runWatch(
  { path, during, count, ms = COLLECT_MS }: NonNullable<HookStep["watch"]>,
  target: Target,
): Promise<StepReply> {
  const watch = await target.watch({ path });
  if (during) await target.send(during);
  await watch.waitForEvents(count, ms);
  watch.close();
  return { status: watch.status, headers: watch.headers, raw: "", body: watch.take() };
}

/** Calls come first, because symbols are numbered by first occurrence; parts that are not compared are skipped. */
function comparedParts(
  { compare = EVERYTHING, distinct }: HookStep,
  reply: StepReply,
  calls: readonly HookCall[],
  normaliser: HookNormaliser,
): HookStepAnswer {
  const { warning } = reply.headers;
  const parts = {
    calls: () => distinctCalls(calls, distinct === true, normaliser),
    paths: () => calls.map(({ path }) => path.split("?", 1)[0]),
    count: () => calls.length,
    headers: () => calls.map((call) => normaliser.callHeaders(call)),
    status: () => reply.status,
    warning: () => (warning === undefined ? null : normaliser.text(String(warning))),
    body: () => (reply.body === undefined ? normaliser.text(reply.raw) : normaliser.body(reply.body)),
  };
  const wanted = Object.entries(parts).filter(([part]) => compare.some((name) => name === part));
  return Object.fromEntries(wanted.map(([part, get]) => [part, get()]));
}

/** A kube-apiserver repeats a call when its cached object was stale. */
function distinctCalls(calls: readonly HookCall[], distinct: boolean, normaliser: HookNormaliser) {
  const normalised = calls.map((call) => normaliser.call(call));
  if (!distinct) return normalised;
  return normalised.filter(
    (call, index) => normalised.findIndex((other) => differencesBetween(other, call).length === 0) === index,
  );
}

export function compareHookCase(testCase: HookCase, { answers, brokenOff }: HookCaseRun): CaseOutcome {
  const stopped = { step: 0, call: "the case", lines: [`did not run to its end: ${brokenOff}`] };
  const differences = testCase.steps.flatMap((step, index) => {
    const answer = answers[index];
    const lines = answer === undefined ? ["was not reached"] : differencesBetween(step.expect ?? {}, answer);
    return lines.length === 0 ? [] : [{ step: index + 1, call: describeHookStep(step), lines }];
  });
  const all = brokenOff === undefined ? differences : [stopped, ...differences];
  return { name: testCase.name, equal: all.length === 0, differences: all };
}
