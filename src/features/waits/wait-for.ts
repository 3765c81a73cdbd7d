// Waits until a condition over objects holds. It evaluates every revision of the store instead of polling, so a
// condition that holds for a single revision is found. Used by in-process tests and by POST /egret/v1/wait.
import { setMaxListeners } from "node:events";
import { compileExpression, environmentOf } from "../../apimachinery/cel/evaluate.ts";
import { DYN } from "../../apimachinery/cel/language/types.ts";
import { valueOfJson } from "../../apimachinery/cel/values/collections.ts";
import type { Clock } from "../../apimachinery/meta/clock.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { badRequest } from "../../apimachinery/meta/status.ts";
import type { ResourceRegistry } from "../../apiserver/registry/resource-registry.ts";
import {
  type KeyValueReader,
  prefixRange,
  type StoreChange,
  StoreError,
  type Watchable,
} from "../../storage/store.ts";
import { type Seen, type Timeline, TimelineRecorder, timelineText, type Verdict } from "./timeline.ts";
import { type WaitQuery, WatchedQuery, type WatchTarget } from "./watched-query.ts";

export interface WaitDeps {
  readonly store: KeyValueReader & Watchable;
  readonly registry: ResourceRegistry;
  /** The clock of the timeout: real time, also while the server's clock is frozen. */
  readonly clock: Clock;
}

export interface WaitRequest {
  /** By the names that the condition uses. */
  readonly queries: Readonly<Record<string, WaitQuery>>;
  /** CEL over the names of the queries: an object or null for a query with a name, else a list. */
  readonly condition: string;
  readonly timeoutMs: number;
  /** Ends the wait early. */
  readonly signal?: AbortSignal | undefined;
  /** Throws when the caller is not authorized to read the target. */
  readonly demand?: (target: WatchTarget) => void;
}

export interface WaitOutcome {
  /** The revision at which the condition held. */
  readonly revision: number;
  /** The values of the queries at that revision. Shared: not to be changed. */
  readonly values: Readonly<Record<string, KubeObject | null | readonly KubeObject[]>>;
}

/** The current values of the queries and the result of a condition over them. Shared: not to be changed. */
export interface Look {
  readonly verdict: Verdict;
  readonly values: WaitOutcome["values"];
}

/**
 * The condition did not hold before the timeout. The message describes all changes since the start; `timeline` holds
 * them as data.
 */
export class WaitTimeoutError extends Error {
  readonly timeline: Timeline;
  constructor({ condition, timeoutMs }: WaitRequest, timeline: Timeline) {
    super(`not so within ${timeoutMs} ms: ${condition}\n${timelineText(timeline)}`);
    this.name = "WaitTimeoutError";
    this.timeline = timeline;
  }
}

/** The wait ended early: the server stops, or the caller aborted it. */
export class WaitEndedError extends Error {
  override readonly name = "WaitEndedError";
}

const EVERYTHING = prefixRange("/registry/");

/** The waits of one server; closing it ends them. */
export class Waits {
  readonly #deps: WaitDeps;
  readonly #closing = new AbortController();

  constructor(deps: WaitDeps) {
    this.#deps = deps;
    setMaxListeners(0, this.#closing.signal); // every wait adds a listener
  }

  /** Rejects with WaitTimeoutError, WaitEndedError, and a 400 StatusError for an invalid query or condition. */
  async until(request: WaitRequest): Promise<WaitOutcome> {
    const { signal } = this.#closing;
    const queries = Object.entries(request.queries).map(
      ([name, query]) => [name, new WatchedQuery(this.#deps.registry, query)] as const,
    );
    for (const [, query] of queries) request.demand?.(query.target);
    const condition = compileCondition(request.condition, Object.keys(request.queries));
    const either = request.signal ? AbortSignal.any([request.signal, signal]) : signal;
    return await waitUntil(this.#deps, { ...request, signal: either }, queries, condition);
  }

  /** Evaluates a condition now and returns its values. Throws as until() does. */
  async now({ queries, condition }: Pick<WaitRequest, "queries" | "condition">): Promise<Look> {
    const { registry, store } = this.#deps;
    const holds = compileCondition(condition, Object.keys(queries));
    const values: Record<string, KubeObject | null | readonly KubeObject[]> = {};
    for (const [name, asked] of Object.entries(queries)) {
      const query = new WatchedQuery(registry, asked);
      await query.take(query.read(store));
      values[name] = query.value();
    }
    return { verdict: holds(Object.values(values)), values };
  }

  /** Ends all waits with WaitEndedError. */
  close(): void {
    this.#closing.abort();
  }
}

type NamedQuery = readonly [name: string, query: WatchedQuery];

async function waitUntil(
  { store, clock }: WaitDeps,
  request: WaitRequest & { readonly signal: AbortSignal },
  queries: readonly NamedQuery[],
  condition: Condition,
): Promise<WaitOutcome> {
  const { timeoutMs, signal } = request;
  const began = clock.now();
  // One synchronous step: the list and the watch start at the same revision.
  const after = store.revision;
  const watch = store.watch(EVERYTHING, { after });
  const found = queries.map(([, query]) => query.read(store));
  let timedOut = false;
  const timer = clock.after(timeoutMs, () => {
    timedOut = true;
    watch.close();
  });
  const end = (): void => watch.close();
  signal.addEventListener("abort", end);
  const values = () => queries.map(([name, query]) => [name, query.value()] as const);
  const verdict = () => condition(values().map(([, value]) => value));
  const outcome = (revision: number) => ({ revision, values: Object.fromEntries(values()) });
  try {
    for (const [index, [, query]] of queries.entries()) await query.take(found[index] ?? []);
    const first = verdict();
    if (first === true) return outcome(after);
    const recorder = new TimelineRecorder(values(), first);
    for (;;) {
      const changes = signal.aborted ? undefined : await watch.next();
      if (changes === undefined) throw timedOut ? new WaitTimeoutError(request, recorder.timeline) : ended();
      for (const change of changes) {
        const seen = await changesSeen(queries, change);
        const next = seen.length > 0 && verdict();
        if (next === true) return outcome(change.revision);
        if (next) recorder.add(clock.now() - began, change.revision, seen, next);
      }
    }
  } catch (error) {
    throw error instanceof StoreError ? ended(error) : error;
  } finally {
    timer.cancel();
    signal.removeEventListener("abort", end);
    watch.close();
  }
}

async function changesSeen(queries: readonly NamedQuery[], { events }: StoreChange): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const [name, query] of queries) {
    await query.prepare(events);
    for (const event of events) {
      const change = query.see(event);
      if (change) seen.push({ ...change, query: name });
    }
  }
  return seen;
}

const ended = (cause?: unknown): WaitEndedError =>
  new WaitEndedError("the wait was ended before its time", { cause });

const TEXT_LENGTH_MAX = 10_000;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Evaluates the condition for values in the order of the variables. */
export type Condition = (values: readonly unknown[]) => Verdict;

/** Throws a 400 that names the position of the error. */
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
