// A fault that has been given, and what it has done: finds out whether it is about a request, and whether it strikes.
import type { Query } from "../../apiserver/request/request-info.ts";
import { badRequest } from "../../meta/status.ts";
import {
  ACTION_NAMES,
  type ActionName,
  type Fault,
  type FaultMatch,
  type FaultReport,
  type FaultVerb,
  type Milliseconds,
} from "./fault.ts";
import { createMatcher, type Target, VERBS_OF, verbsOf, WRITES } from "./match.ts";

/** Where it can strike: at a request, or at the events of a watch. */
export type Place = "request" | "events";

const AT_EVENTS: readonly ActionName[] = ["watchEnd", "bookmarks", "duplicateEvents", "lateEvents"];
const IN_PROCESS: readonly ActionName[] = ["error", "delay"];

export class LiveFault {
  readonly id: string;
  readonly fault: Fault;
  readonly action: ActionName;
  readonly #isAbout: (target: Target) => boolean;
  readonly #onSpent: () => void;
  #matched = 0;
  #fired = 0;
  #removed = false;

  /** Throws 400 when the fault cannot mean anything. */
  constructor(id: string, fault: Fault, onSpent: () => void) {
    this.id = id;
    this.fault = fault;
    this.action = checkFault(fault);
    this.#isAbout = createMatcher(this.action, fault);
    this.#onSpent = onSpent;
  }

  /** Counts the request if the fault is about it. True when it is struck. */
  strikes(place: Place, target: Target, random: () => number): boolean {
    if (this.over || this.#placeFor(target) !== place || !this.#isAbout(target)) return false;
    if (!this.#canHappen(target)) return false;
    this.#matched++;
    const { skip = 0, probability = 1 } = this.fault;
    if (this.#matched <= skip || (probability < 1 && random() >= probability)) return false;
    this.#fired++;
    if (this.spent) this.#onSpent();
    return true;
  }

  /** It will never strike again, also where a request has it before it still, and what it does to open watches ends. */
  remove(): void {
    this.#removed = true;
  }

  get removed(): boolean {
    return this.#removed;
  }

  get spent(): boolean {
    return this.#fired >= (this.fault.count ?? Number.POSITIVE_INFINITY);
  }

  get over(): boolean {
    return this.#removed || this.spent;
  }

  report(): FaultReport {
    const { id, fault, spent } = this;
    return { id, fault, matched: this.#matched, fired: this.#fired, spent };
  }

  #placeFor({ verb }: Target): Place {
    return AT_EVENTS.includes(this.action) || (this.action === "slow" && verb === "watch")
      ? "events"
      : "request";
  }

  /** Some things can only happen to requests that ask for something. */
  #canHappen({ inProcess, query, verb }: Target): boolean {
    if (inProcess) return IN_PROCESS.includes(this.action);
    const { staleRead, expireContinue, disconnect } = this.fault;
    if (expireContinue) return asked(query, "continue") !== "";
    if (disconnect?.when === "midBody") return verb !== "watch";
    if (staleRead) return asked(query, "continue") === "" && isStaleRead(staleRead.reads, query);
    return true;
  }
}

const asked = (query: Query | undefined, key: string): string => query?.get(key) ?? "";

/** Nobody reads what he has asked a newer state than some other for as an older one. */
function isStaleRead(reads: "cached" | "all" = "cached", query: Query | undefined): boolean {
  const version = asked(query, "resourceVersion");
  return version === "0" || (reads === "all" && version === "");
}

/** Clients look at Retry-After with these and with no others. */
const isRetried = (code: number): boolean => code === 429 || code >= 500;

/**
 * The one action of a fault. Throws 400 for none, for several, and for what no schema says: combinations that cannot mean
 * anything. A fault that never strikes would hide a mistake in the test that gave it.
 */
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

function checkAction(fault: Fault, verbs: readonly FaultVerb[] | undefined): void {
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
