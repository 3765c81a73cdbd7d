// Runs the cases of webhooks.json against one server: the objects of a setup exist while its cases run in sequence. The
// runner itself is the webhook, so the server must reach 127.0.0.1 of this machine.
import { randomBytes } from "node:crypto";
import type { CaseOutcome } from "../compare.ts";
import { valuesAt } from "../pick.ts";
import type { Target } from "../target.ts";
import { fillKnown, type HookCase, readCaseBook, writeCaseBook } from "./case-book.ts";
import { untilEffective } from "./effective.ts";
import { Hook } from "./hook.ts";
import { type CaseWorld, compareHookCase, type HookCaseRun, runHookCase } from "./run-hook-case.ts";
import { StandingObjects } from "./standing-objects.ts";

const SELF_REVIEW = "authentication.k8s.io/v1";

export const webhookCases = (only = ""): HookCase[] =>
  readCaseBook().cases.filter(({ name }) => name.includes(only));

/** The outcomes in the order of the cases. */
export async function runWebhooks(target: Target, cases: readonly HookCase[]): Promise<CaseOutcome[]> {
  await using runs = await WebhookRuns.open(target);
  const outcomes: CaseOutcome[] = [];
  for (const testCase of cases) outcomes.push(compareHookCase(testCase, await runs.run(testCase)));
  return outcomes;
}

/** Writes the server's answers into the file as expected ones. Returns the names of the cases. */
export async function recordWebhooks(target: Target, only = ""): Promise<string[]> {
  await using runs = await WebhookRuns.open(target);
  const { setups, cases } = readCaseBook();
  const recorded: HookCase[] = [];
  for (const testCase of cases)
    recorded.push(testCase.name.includes(only) ? withAnswers(testCase, await runs.run(testCase)) : testCase);
  writeCaseBook({ setups, cases: recorded });
  return cases.map(({ name }) => name).filter((name) => name.includes(only));
}

function withAnswers(testCase: HookCase, { answers, brokenOff }: HookCaseRun): HookCase {
  if (brokenOff !== undefined) throw new Error(`${testCase.name} did not run to its end: ${brokenOff}`);
  const steps = testCase.steps.map((step, index) => ({ ...step, expect: answers[index] ?? {} }));
  return { ...testCase, steps };
}

/** Keeps the setup of the last case in place: cases of one setup should follow each other. */
export class WebhookRuns implements AsyncDisposable {
  readonly #target: Target;
  readonly #hook: Hook;
  readonly #caller: string;
  readonly #setups = readCaseBook().setups;
  #setup = "";
  #world: CaseWorld;
  /** The reason why the current setup could not be created. */
  #obstacle: string | undefined;

  private constructor(target: Target, hook: Hook, caller: string) {
    this.#target = target;
    this.#hook = hook;
    this.#caller = caller;
    this.#world = this.#newWorld();
  }

  static async open(target: Target): Promise<WebhookRuns> {
    const path = `/apis/${SELF_REVIEW}/selfsubjectreviews`;
    const body = { apiVersion: SELF_REVIEW, kind: "SelfSubjectReview" };
    const { body: review } = await target.send({ method: "POST", path, body });
    const caller = String(valuesAt(review, "status.userInfo.username")[0]);
    return new WebhookRuns(target, await Hook.open(), caller);
  }

  async run(testCase: HookCase): Promise<HookCaseRun> {
    if (testCase.setup !== this.#setup) await this.#setUp(testCase.setup);
    if (this.#obstacle !== undefined) return { answers: [], brokenOff: this.#obstacle };
    return await runHookCase(testCase, this.#world);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#world.standing.removeAll();
    await this.#hook[Symbol.asyncDispose]();
  }

  async #setUp(name: string): Promise<void> {
    await this.#world.standing.removeAll();
    this.#world = this.#newWorld();
    this.#setup = name;
    const { known, standing } = this.#world;
    try {
      const made = fillKnown(this.#setups[name]?.make ?? [], known);
      for (const object of made) await standing.create(object);
      await untilEffective(made, this.#world);
      this.#obstacle = undefined;
    } catch (error) {
      this.#obstacle = error instanceof Error ? error.message : String(error);
    }
  }

  #newWorld(): CaseWorld {
    const id = randomBytes(4).toString("hex").replace(/^\d/, "a");
    const ca = Buffer.from(this.#hook.ca).toString("base64");
    const known = { id, ns: `hook-${id}`, hook: `https://${this.#hook.address}`, ca };
    const standing = new StandingObjects(this.#target, this.#hook);
    return { target: this.#target, hook: this.#hook, standing, id, ca, caller: this.#caller, known };
  }
}
