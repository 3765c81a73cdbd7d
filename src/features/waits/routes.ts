// POST /egret/v1/wait: responds when a condition over objects is true, for tests in any language.
import { durationMs } from "../../apimachinery/go/duration.ts";
import { badRequest, failure, timeout, tooManyRequests } from "../../apimachinery/meta/status.ts";
import { type Caller, questionOf } from "../control-surface/caller.ts";
import {
  type ControlRoute,
  closedObject,
  described,
  integer,
  object,
  route,
  storedAnswer,
  text,
  type ValueOf,
  type WholeAnswer,
} from "../control-surface/control-route.ts";
import { WaitEndedError, type Waits, WaitTimeoutError } from "./wait-for.ts";
import { QUERY, soleName, type WaitQuery, type WatchTarget } from "./watched-query.ts";

const TIMEOUT_DEFAULT = "10s";
const TIMEOUT_MS_MAX = 600_000;
/** Limit of concurrent waits: each one receives every change of the store. */
const WAITS_MAX = 100;

const BODY = closedObject(
  {
    query: described(
      QUERY,
      "In the condition it is `object`, which may be null, or `objects` without a name.",
    ),
    queries: {
      ...described<Readonly<Record<string, WaitQuery>>>(
        { type: "object" },
        "Several, by the names that the condition uses.",
      ),
      ...{ minProperties: 1, maxProperties: 16, additionalProperties: QUERY },
    },
    condition: text("CEL: object != null && object.status.items.size() == 2"),
    timeout: text(`A duration: 500ms, 1m30s. Left out: ${TIMEOUT_DEFAULT}.`),
  },
  ["condition"],
);

const ANSWER = object(
  {
    revision: integer("Where the condition held."),
    values: {
      type: "object",
      description: "What the queries gave at that revision, by their names.",
      additionalProperties: true,
    },
  },
  ["revision", "values"],
);

type WaitBody = ValueOf<typeof BODY>;

export function waitRoute(waits: Waits): ControlRoute {
  let waiting = 0;
  return route("POST /wait", "wait", {
    summary:
      "Answers when a condition over objects holds, else with 504 and the timeline of what happened meanwhile.",
    access: "own rights",
    body: BODY,
    answer: ["The condition holds.", ANSWER],
    async handle({ body, raw, caller }) {
      if (waiting >= WAITS_MAX) throw tooManyRequests(`${WAITS_MAX} waits are open already`, 1);
      waiting++;
      try {
        return await answer(waits, body, caller, raw.gone?.());
      } finally {
        waiting--;
      }
    },
  });
}

/** The wait ends when the client disconnects. */
async function answer(
  waits: Waits,
  body: WaitBody,
  caller: Caller,
  signal: AbortSignal | undefined,
): Promise<WholeAnswer> {
  const { condition } = body;
  const timeoutMs = readTimeout(body.timeout ?? TIMEOUT_DEFAULT);
  const demand = (target: WatchTarget) => demandWatch(caller, target);
  try {
    return storedAnswer(
      200,
      await waits.until({ queries: queriesOf(body), condition, timeoutMs, signal, demand }),
    );
  } catch (error) {
    if (error instanceof WaitTimeoutError) {
      // A Status, as for every failure, with the timeline as an additional member.
      return storedAnswer(504, { ...timeout(error.message, 0).status, timeline: error.timeline });
    }
    if (!(error instanceof WaitEndedError)) throw error;
    throw failure({ code: 503, reason: "ServiceUnavailable", message: error.message });
  }
}

/** Throws 403 unless the caller may read and watch the target. */
function demandWatch(caller: Caller, target: WatchTarget): void {
  const first = target.name === "" ? "list" : "get";
  for (const verb of [first, "watch"]) caller.demand(questionOf(caller, { verb, ...target }));
}

function readTimeout(text: string): number {
  const ms = durationMs(text);
  if (ms === undefined || ms < 0) throw badRequest(`${text} is no duration; write it as 500ms, 10s or 1m30s`);
  if (ms > TIMEOUT_MS_MAX) throw badRequest(`${text} is longer than ${TIMEOUT_MS_MAX / 60_000} minutes`);
  return ms;
}

function queriesOf({ query, queries }: WaitBody): Readonly<Record<string, WaitQuery>> {
  if ((query === undefined) === (queries === undefined)) {
    throw badRequest("say what to look at: either query or queries");
  }
  return query === undefined ? (queries ?? {}) : { [soleName(query)]: query };
}
