// Waits until a condition over objects holds, looking at every revision of the store and not at times: what was true
// for one revision only is found as well. Used by tests in process and by POST /egret/v1/wait.
import { setMaxListeners } from "node:events";
import { compileExpression, environmentOf } from "../../cel/evaluate.ts";
import { DYN } from "../../cel/language/types.ts";
import { valueOfJson } from "../../cel/values/collections.ts";
import type { Clock } from "../../meta/clock.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { badRequest } from "../../meta/status.ts";
import type { ResourceRegistry } from "../../registry/resource-registry.ts";
import {
  prefixRange,
  type Store,
  type StoreChange,
  StoreError,
  type StoreWatch,
} from "../../storage/store.ts";
import { type Seen, type Timeline, TimelineRecorder, timelineText } from "./timeline.ts";
import { type WaitQuery, WatchedQuery, type WatchTarget } from "./watched-query.ts";

export interface WaitDeps {
  readonly store: Store;
  readonly registry: ResourceRegistry;
  /** The time that passes for whoever waits: the real one, also where the server's clock stands still. */
  readonly clock: Clock;
}

export interface WaitRequest {
  /** By the names under which the condition knows them. */
  readonly queries: Readonly<Record<string, WaitQuery>>;
  /** CEL over the names of the queries: an object or null for a query with a name, else a list. */
  readonly condition: string;
  readonly timeoutMs: number;
  /** Ends the wait early. */
  readonly signal?: AbortSignal | undefined;
  /** Throws when the caller may not look at that. */
  readonly demand?: (target: WatchTarget) => void;
}

export interface WaitOutcome {
  /** The revision at which the condition held. */
  readonly revision: number;
  /** What the queries gave at that revision. Shared: not to be changed. */
  readonly values: Readonly<Record<string, KubeObject | null | readonly KubeObject[]>>;
}

/** The condition did not hold in time. The message tells all that happened meanwhile; `timeline` has it as data. */
export class WaitTimeoutError extends Error {
  readonly timeline: Timeline;
  constructor({ condition, timeoutMs }: WaitRequest, timeline: Timeline) {
    super(`not so within ${timeoutMs} ms: ${condition}\n${timelineText(timeline)}`);
    this.name = "WaitTimeoutError";
    this.timeline = timeline;
  }
}

/** The wait was ended before its time: the server stops, or nobody waits any more. */
export class WaitEndedError extends Error {
  override readonly name = "WaitEndedError";
}

const EVERYTHING = prefixRange("/registry/");

/** The waits of one server, which end with it. */
export class Waits {
  readonly #deps: WaitDeps;
  readonly #closing = new AbortController();

  constructor(deps: WaitDeps) {
    this.#deps = deps;
    setMaxListeners(0, this.#closing.signal); // every wait listens
  }

  /** Rejects with WaitTimeoutError, WaitEndedError, and a 400 StatusError for a question that cannot be answered. */
  async until(request: WaitRequest): Promise<WaitOutcome> {
    const { signal } = this.#closing;
    const queries = Object.entries(request.queries).map(
      ([name, query]) => [name, new WatchedQuery(this.#deps.registry, query)] as const,
    );
    for (const [, query] of queries) request.demand?.(query.target);
    const condition = compileCondition(request.condition, Object.keys(request.queries));
    const either = request.signal ? AbortSignal.any([request.signal, signal]) : signal;
    return await new Wait(this.#deps, { ...request, signal: either }, queries, condition).run();
  }

  /** Ends all of them with WaitEndedError. */
  close(): void {
    this.#closing.abort();
  }
}

type NamedQuery = readonly [name: string, query: WatchedQuery];

class Wait {
  readonly #deps: WaitDeps;
  readonly #request: WaitRequest;
  readonly #queries: readonly NamedQuery[];
  readonly #condition: Condition;
  #timedOut = false;

  constructor(deps: WaitDeps, request: WaitRequest, queries: readonly NamedQuery[], condition: Condition) {
    this.#deps = deps;
    this.#request = request;
    this.#queries = queries;
    this.#condition = condition;
  }

  async run(): Promise<WaitOutcome> {
    const { store, clock } = this.#deps;
    const { timeoutMs, signal } = this.#request;
    const began = clock.now();
    // All of it in one tick: what was read and what the watch tells fit together.
    const after = store.revision;
    const watch = store.watch(EVERYTHING, { after });
    const found = this.#queries.map(([, query]) => query.read(store));
    const timer = clock.after(timeoutMs, () => {
      this.#timedOut = true;
      watch.close();
    });
    const end = (): void => watch.close();
    signal?.addEventListener("abort", end);
    try {
      for (const [index, [, query]] of this.#queries.entries()) await query.take(found[index] ?? []);
      const verdict = this.#verdict();
      if (verdict === true) return this.#outcome(after);
      const recorder = new TimelineRecorder(this.#values(), verdict);
      const outcome = await this.#follow(watch, recorder, began);
      if (outcome) return outcome;
      throw this.#timedOut ? new WaitTimeoutError(this.#request, recorder.timeline) : ended();
    } catch (error) {
      throw error instanceof StoreError ? ended(error) : error;
    } finally {
      timer.cancel();
      signal?.removeEventListener("abort", end);
      watch.close();
    }
  }

  /** The outcome, or undefined when the watch was closed before there was one. */
  async #follow(
    watch: StoreWatch,
    recorder: TimelineRecorder,
    began: number,
  ): Promise<WaitOutcome | undefined> {
    for (;;) {
      const changes = this.#request.signal?.aborted === true ? undefined : await watch.next();
      if (changes === undefined) return undefined;
      for (const change of changes) {
        const seen = await this.#see(change);
        if (seen.length === 0) continue;
        const verdict = this.#verdict();
        if (verdict === true) return this.#outcome(change.revision);
        recorder.add(this.#deps.clock.now() - began, change.revision, seen, verdict);
      }
    }
  }

  async #see({ events }: StoreChange): Promise<Seen[]> {
    const seen: Seen[] = [];
    for (const [name, query] of this.#queries) {
      await query.prepare(events);
      for (const event of events) {
        const change = query.see(event);
        if (change) seen.push({ ...change, query: name });
      }
    }
    return seen;
  }

  #values() {
    return this.#queries.map(([name, query]) => [name, query.value()] as const);
  }

  #verdict(): Verdict {
    return this.#condition(this.#queries.map(([, query]) => query.value()));
  }

  #outcome(revision: number): WaitOutcome {
    return { revision, values: Object.fromEntries(this.#values()) };
  }
}

const ended = (cause?: unknown): WaitEndedError =>
  new WaitEndedError("the wait was ended before its time", { cause });

const TEXT_LENGTH_MAX = 10_000;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** True, or why it does not hold: false, or what went wrong while it was evaluated. */
export type Verdict = true | "false" | `error: ${string}`;

/** Says whether it holds for these values, which stand in the order of the variables. */
export type Condition = (values: readonly unknown[]) => Verdict;

/** Throws a 400 that says where the text is wrong. */
export function compileCondition(text: string, variables: readonly string[]): Condition {
  if (text.length > TEXT_LENGTH_MAX) throw badRequest(`the condition is longer than ${TEXT_LENGTH_MAX}`);
  for (const name of variables) {
    if (!VARIABLE.test(name)) throw badRequest(`${name} cannot be a name in a condition`);
  }
  const compiled = compileExpression(text, environmentOf(new Map(variables.map((name) => [name, DYN]))));
  if ("problem" in compiled) throw badRequest(`the condition is no CEL expression: ${compiled.problem}`);
  const { kind, name } = compiled.type;
  if (kind !== "bool" && kind !== "dyn") {
    throw badRequest(`the condition gives ${name}, and not true or false`);
  }
  return (values) => {
    const { value, error } = compiled.evaluate(values.map(valueOfJson));
    if (error !== undefined) return `error: ${error}`;
    if (typeof value !== "boolean") return "error: the condition gives neither true nor false";
    return value || "false";
  };
}
