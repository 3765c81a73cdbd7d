// Runs one case: executes its steps in order, normalises each answer, and finally deletes the created objects.
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Answer, Call, CollectStep, ConformanceCase, Step, WatchStep } from "./case-file.ts";
import type { CaseRun } from "./compare.ts";
import { Normaliser } from "./normalise.ts";
import { pickPaths, valuesAt } from "./pick.ts";
import type { Reply, Target, TargetWatch } from "./target.ts";
import { fillHoles } from "./template.ts";

const REPEAT_EVERY_MS = 100;
const COLLECT_COUNT = 1;
const COLLECT_MS = 3_000;

/** State shared by the steps of one case. */
interface CaseState {
  readonly target: Target;
  readonly normaliser: Normaliser;
  /** Values for the placeholders of later steps: id, ns and kept answers. */
  readonly known: Record<string, unknown>;
  readonly watches: Map<string, TargetWatch>;
  /** Paths of the objects created so far, oldest first. */
  readonly made: string[];
}

export async function runCase(testCase: ConformanceCase, target: Target): Promise<CaseRun> {
  const id = randomWord();
  const state: CaseState = {
    target,
    normaliser: new Normaliser(id),
    known: { id },
    watches: new Map(),
    made: [],
  };
  const answers: Answer[] = [];
  try {
    if (testCase.namespace) await makeNamespace(state, `conf-${id}`);
    for (const step of testCase.steps) answers.push(await runStep(step, state));
    return { answers };
  } catch (error) {
    return { answers, brokenOff: error instanceof Error ? error.message : String(error) };
  } finally {
    for (const watch of state.watches.values()) watch.close();
    await deleteAll(state);
  }
}

/**
 * Eight hexadecimal digits that can begin a name. The first is always the same letter, as in most recordings, so that a
 * name with this prefix sorts at the same position in every run.
 */
function randomWord(): string {
  return randomBytes(4).toString("hex").replace(/^./, "a");
}

async function makeNamespace({ target, known, made }: CaseState, name: string): Promise<void> {
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  const reply = await target.send({ method: "POST", path: "/api/v1/namespaces", body });
  if (reply.status !== 201)
    throw new Error(`namespace ${name} could not be made: ${reply.status} ${reply.raw}`);
  known["ns"] = name;
  made.push(`/api/v1/namespaces/${name}`);
}

async function deleteAll({ target, made }: CaseState): Promise<void> {
  for (const path of made.toReversed()) {
    const headers = { "content-type": "application/merge-patch+json" };
    const body = { metadata: { finalizers: null } };
    // Most objects are deleted by now, so both answers are ignored.
    await target.send({ method: "PATCH", path, headers, body }).catch(() => undefined);
    await target.send({ method: "DELETE", path }).catch(() => undefined);
  }
}

async function runStep(step: Step, state: CaseState): Promise<Answer> {
  if (step.sleep !== undefined) {
    await delay(step.sleep);
    return {};
  }
  if (step.watch) return openWatch(fillHoles(step.watch, state.known), state);
  if (step.collect) return collectEvents(fillHoles(step.collect, state.known), step.pick, state);
  if (step.do) return runRequest(fillHoles(step.do, state.known), step, state);
  throw new Error("a step must have do, watch, collect or sleep");
}

async function openWatch(step: WatchStep, state: CaseState): Promise<Answer> {
  const watch = await state.target.watch(step);
  state.watches.get(step.id)?.close();
  state.watches.set(step.id, watch);
  return { status: watch.status, headers: state.normaliser.headers(watch.headers) };
}

async function collectEvents(
  step: CollectStep,
  pick: readonly string[] | undefined,
  state: CaseState,
): Promise<Answer> {
  const watch = state.watches.get(step.id);
  if (!watch) throw new Error(`no step opened the watch ${step.id}`);
  const timeoutMs = step.ms ?? COLLECT_MS;
  await watch.waitForEvents(step.count ?? COLLECT_COUNT, timeoutMs);
  if (step.until === "end") await watch.waitForEnd(timeoutMs);
  const events = watch.take().map((event) => state.normaliser.value(event));
  return {
    events: pick ? events.map((event) => pickPaths(event, pick)) : events,
    ...(step.until === "end" ? { ended: watch.ended } : {}),
  };
}

async function runRequest(call: Call, step: Step, state: CaseState): Promise<Answer> {
  const reply = await sendUntilSettled(call, step, state);
  if (step.as !== undefined) state.known[step.as] = reply.body ?? reply.raw;
  const madePath = pathOfMadeObject(call, reply);
  if (madePath !== undefined) state.made.push(madePath);
  if (step.generated) {
    const name = textAt(reply.body, "details.name") ?? textAt(reply.body, "metadata.name");
    if (name) state.normaliser.rememberGeneratedName(name);
  }
  return normalisedAnswer(reply, step, state.normaliser);
}

/** Repeats only while the value differs; the last answer counts. */
async function sendUntilSettled(call: Call, step: Step, { target, known }: CaseState): Promise<Reply> {
  const { settle } = step;
  const deadline = Date.now() + (step.eventually ?? 0);
  const wanted = settle && JSON.stringify(fillHoles(settle.is, known));
  const settled = ({ body }: Reply) => !settle || JSON.stringify(valuesAt(body, settle.path)) === wanted;
  let reply = await target.send(call);
  while (!settled(reply) && Date.now() < deadline) {
    await delay(REPEAT_EVERY_MS);
    reply = await target.send(call);
  }
  return reply;
}

/** The path of the object that a request created; undefined when it created none. */
function pathOfMadeObject(call: Call, reply: Reply): string | undefined {
  const name = textAt(reply.body, "metadata.name");
  const writes = call.method === "POST" || call.method === "PUT" || call.method === "PATCH";
  if (!writes || reply.status !== 201 || !name || /[?&]dryRun=/.test(call.path)) return undefined;
  const path = call.path.split("?", 1)[0] ?? call.path;
  return call.method === "POST" && !path.endsWith(`/${name}`) ? `${path}/${name}` : path;
}

function normalisedAnswer(reply: Reply, step: Step, normaliser: Normaliser): Answer {
  if (step.only === "nothing") return {};
  if (step.only === "status") return { status: reply.status };
  const answer = { status: reply.status, headers: normaliser.headers(reply.headers) };
  if (step.only === "headers") return answer;
  if (reply.body === undefined) return { ...answer, text: normaliser.text(reply.raw) };
  const body = normaliser.value(reply.body);
  return { ...answer, body: step.pick ? pickPaths(body, step.pick) : body };
}

function textAt(body: unknown, path: string): string | undefined {
  const value = valuesAt(body, path)[0];
  return typeof value === "string" ? value : undefined;
}
