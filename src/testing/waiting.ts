// waitFor() for tests: its types, which derive the result type from the queries, and the wait itself.

import { cloneJson } from "../apimachinery/json/json.ts";
import { nextTurn } from "../apimachinery/scheduling/event-loop.ts";
import type { Waits } from "../features/waits/wait-for.ts";
import { type WaitQuery as AnyQuery, soleName } from "../features/waits/watched-query.ts";
import { type Checks, checkOptions, EgretOptionsError, isNumber, isSignal, isText } from "./check-options.ts";
import type { KnownKind, ObjectOf, Stored } from "./kinds.ts";

/** With a name one object, without one all selected objects of the kind. */
export interface WaitQuery extends AnyQuery {
  readonly kind: KnownKind | (string & {});
}

/** One query, or several by the names that the condition uses. */
export type WaitQueries = WaitQuery | { readonly [name: string]: WaitQuery };

type Found<Q> = Q extends { readonly kind: infer K extends string }
  ? Q extends { readonly name: string }
    ? Stored<ObjectOf<K>> | null
    : Stored<ObjectOf<K>>[]
  : never;

/** An object or null for a query with a name, a list for one without; for several queries a record of these. */
export type WaitResult<Q extends WaitQueries> = Q extends WaitQuery
  ? Found<Q>
  : { -readonly [N in keyof Q]: Found<Q[N]> };

export interface WaitOptions {
  /** Milliseconds of real time. Default: 4000, slightly less than the test timeout of vitest and jest. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

const TIMEOUT_MS = 4_000;

const OPTIONS: Checks<WaitOptions> = { timeout: isNumber, signal: isSignal };
const QUERY: Checks<WaitQuery> = {
  kind: isText,
  name: isText,
  namespace: isText,
  labelSelector: isText,
  fieldSelector: isText,
};

const isSole = (queries: WaitQueries): queries is WaitQuery => typeof queries["kind"] === "string";

function checkQuery(name: string, query: WaitQuery): void {
  checkOptions(`waitFor: the query ${name}`, query, QUERY);
  if (query.kind === undefined) throw new EgretOptionsError(`waitFor: the query ${name} has no kind`);
}

/**
 * Resolves with the values of the queries when the CEL condition first holds. Rejects with the timeline after the
 * timeout (default: 4 s).
 */
export async function waitFor<const Q extends WaitQueries>(
  waits: Waits,
  queries: Q,
  condition: string,
  options: WaitOptions = {},
): Promise<WaitResult<Q>> {
  checkOptions("waitFor", options, OPTIONS);
  const { timeout = TIMEOUT_MS, signal } = options;
  const given: WaitQueries = queries;
  const sole = isSole(given) ? soleName(given) : undefined;
  const byName = isSole(given) ? { [soleName(given)]: given } : given;
  for (const [name, query] of Object.entries(byName)) checkQuery(name, query);
  const { values } = await waits.until({ queries: byName, condition, timeoutMs: timeout, signal });
  await nextTurn(); // the write that made the condition true is then in the request log
  const copies = cloneJson(values);
  // The server has validated the objects by the schemas from which their types are generated.
  return (sole === undefined ? copies : copies[sole]) as WaitResult<Q>;
}
