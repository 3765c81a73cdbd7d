// An active fault with its counters: decides whether it matches a request, and whether it strikes.

import { badRequest } from "../../apimachinery/meta/status.ts";
import type { Query } from "../../apiserver/endpoints/request/request-info.ts";
import { ACTION_NAMES, type ActionName, type Fault, type FaultReport, type Milliseconds } from "./fault.ts";
import { createMatcher, type Target, VERBS_OF, verbsOf, WRITES } from "./match.ts";

/** Where a fault acts: on a request, or on the events of a watch. */
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

  /** Throws 400 for an invalid fault. */
  constructor(id: string, fault: Fault, onSpent: () => void) {
    this.id = id;
    this.fault = fault;
    this.action = checkFault(fault);
    this.#isAbout = createMatcher(this.action, fault);
    this.#onSpent = onSpent;
  }

  /** Counts the request if the fault matches it. Returns true if the fault strikes. */
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

  /** Deactivates the fault, also for requests that have not reached it yet, and ends its effect on open watches. */
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

  /** Some actions apply only to requests with certain query parameters. */
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

/** A read with a minimum resourceVersion never gets an older state. */
function isStaleRead(reads: "cached" | "all" = "cached", query: Query | undefined): boolean {
  const version = asked(query, "resourceVersion");
  return version === "0" || (reads === "all" && version === "");
}

/** Clients honor Retry-After only for these status codes. */
const isRetried = (code: number): boolean => code === 429 || code >= 500;

/**
 * Returns the one action of a fault. Throws 400 for none or several, and for invalid combinations that the schema does
 * not exclude. A fault that never strikes would hide a mistake in its test.
 */
export function checkFault(fault: Fault): ActionName {
  const named = ACTION_NAMES.filter((name) => fault[name] !== undefined);
  const [action] = named;
  if (action === undefined || named.length > 1) {
    const found = named.length === 0 ? "none" : named.join(" and ");
    throw badRequest(`a fault does one of ${ACTION_NAMES.join(", ")}; this one has ${found}`);
  }
  const wrong = complaintsOf(action, fault).find(([isSo]) => isSo);
  if (wrong !== undefined) throw badRequest(wrong[1]);
  return action;
}

/** The validation rules of a fault, with their error messages. */
function complaintsOf(action: ActionName, fault: Fault): readonly (readonly [isSo: boolean, text: string])[] {
  const { match = {}, error, disconnect, watchEnd, staleRead } = fault;
  const { path, userAgent, user, ...ofResource } = match;
  const [both] = path === undefined ? [] : Object.keys(ofResource);
  const verbs = verbsOf(match) ?? [];
  const strange = verbs.find((verb) => VERBS_OF[action]?.includes(verb) === false);
  const hasVersion = staleRead?.resourceVersion !== undefined;
  const isRefused = error?.retryAfterSeconds !== undefined && !isRetried(error.code);
  const readsToo = error?.when === "after" && verbs.some((verb) => !WRITES.includes(verb));
  return [
    [
      fault.probability === 0 || fault.duplicateEvents?.share === 0,
      "a fault with the probability or share 0 never strikes",
    ],
    [both !== undefined, `match.path names no resource, so match.${both} cannot be matched`],
    [
      path !== undefined && VERBS_OF[action] !== undefined,
      `${action} is about resources, not about match.path`,
    ],
    [strange !== undefined, `${action} cannot happen to the verb ${strange}`],
    [isBackwards(fault.delay?.milliseconds), "delay.milliseconds.min is greater than max"],
    [isBackwards(fault.lateEvents?.milliseconds), "lateEvents.milliseconds.min is greater than max"],
    [isRefused, `error.retryAfterSeconds goes with 429 and 5xx, not with ${error?.code}`],
    [readsToo, 'error.when "after" is about writes only'],
    [
      disconnect?.when === "midBody" && verbs.includes("watch"),
      "a watch is broken by watchEnd, not by disconnect in mid-answer",
    ],
    [watchEnd?.message !== undefined && watchEnd.how !== "expired", "watchEnd.message belongs to expired"],
    [hasVersion && staleRead.revisions !== undefined, "staleRead has either revisions or resourceVersion"],
  ];
}

const isBackwards = (value: Milliseconds | undefined): boolean =>
  typeof value === "object" && value.min > value.max;
