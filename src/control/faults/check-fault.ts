// What no schema says of a fault: combinations that cannot mean anything. They are refused, for a fault that never
// strikes hides a mistake in the test that gave it.
import { badRequest } from "../../meta/status.ts";
import type { ActionName, Fault, FaultActions, FaultMatch, FaultVerb, Milliseconds } from "./fault.ts";

/** For each action the verbs that it can be about; undefined: all. */
const VERBS_OF: Readonly<Record<ActionName, readonly FaultVerb[] | undefined>> = {
  error: undefined,
  delay: undefined,
  disconnect: undefined,
  slow: undefined,
  watchEnd: ["watch"],
  bookmarks: ["watch"],
  duplicateEvents: ["watch"],
  lateEvents: ["watch"],
  staleRead: ["get", "list", "watch"],
  expireContinue: ["list"],
};
const ACTION_NAMES = Object.keys(VERBS_OF) as ActionName[]; // the keys that the type names
const WRITES: readonly FaultVerb[] = ["create", "update", "patch", "delete", "deletecollection"];
/** Clients look at Retry-After with these and with no others. */
const isRetried = (code: number): boolean => code === 429 || code >= 500;

/** The one action of a fault. Throws 400 for none, for several, and for what cannot mean anything. */
export function checkFault(fault: Fault): ActionName {
  const named = ACTION_NAMES.filter((name) => fault[name] !== undefined);
  const [action] = named;
  if (action === undefined || named.length > 1) {
    const found = named.length === 0 ? "none" : named.join(" and ");
    throw badRequest(`a fault does one of ${ACTION_NAMES.join(", ")}; this one has ${found}`);
  }
  const { match = {} } = fault;
  if (fault.probability === 0 || fault.duplicateEvents?.share === 0)
    throw badRequest("a fault with the probability or share 0 never strikes");
  checkPath(action, match);
  checkVerbs(action, verbsOf(match));
  checkAction(fault, verbsOf(match));
  return action;
}

/** The verbs that an action is about by itself, or undefined for all. */
export function verbsFor(action: ActionName, fault: Fault): readonly FaultVerb[] | undefined {
  return fault.error?.when === "after" ? WRITES : VERBS_OF[action];
}

export function verbsOf({ verb }: FaultMatch): readonly FaultVerb[] | undefined {
  if (verb === undefined) return undefined;
  return typeof verb === "string" ? [verb] : verb;
}

function checkPath(action: ActionName, { path, userAgent, user, ...ofResource }: FaultMatch): void {
  if (path === undefined) return;
  const both = Object.keys(ofResource)[0];
  if (both !== undefined)
    throw badRequest(`match.path names no resource, so match.${both} cannot be matched`);
  if (VERBS_OF[action] !== undefined) throw badRequest(`${action} is about resources, not about match.path`);
}

function checkVerbs(action: ActionName, verbs: readonly FaultVerb[] | undefined): void {
  const wrong = verbs?.find((verb) => VERBS_OF[action]?.includes(verb) === false);
  if (wrong !== undefined) throw badRequest(`${action} cannot happen to the verb ${wrong}`);
}

function checkAction(fault: FaultActions, verbs: readonly FaultVerb[] | undefined): void {
  const { error, delay, disconnect, watchEnd, lateEvents, staleRead } = fault;
  checkMilliseconds("delay", delay?.milliseconds);
  checkMilliseconds("lateEvents", lateEvents?.milliseconds);
  if (error?.retryAfterSeconds !== undefined && !isRetried(error.code))
    throw badRequest(`error.retryAfterSeconds goes with 429 and 5xx, not with ${error.code}`);
  if (error?.when === "after" && verbs?.some((verb) => !WRITES.includes(verb)))
    throw badRequest('error.when "after" is about writes only');
  if (disconnect?.when === "midBody" && verbs?.includes("watch"))
    throw badRequest("a watch is broken by watchEnd, not by disconnect in mid-answer");
  if (watchEnd?.message !== undefined && watchEnd.how !== "expired")
    throw badRequest("watchEnd.message belongs to expired");
  if (staleRead?.revisions !== undefined && staleRead.resourceVersion !== undefined)
    throw badRequest("staleRead has either revisions or resourceVersion");
}

function checkMilliseconds(action: string, value: Milliseconds | undefined): void {
  if (typeof value === "object" && value.min > value.max)
    throw badRequest(`${action}.milliseconds.min is greater than max`);
}
