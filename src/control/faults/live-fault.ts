// A fault that has been given, and what it has done: finds out whether it is about a request, and whether it strikes.
import type { Query } from "../../apiserver/request/request-info.ts";
import { badRequest } from "../../meta/status.ts";
import { ACTION_NAMES, type ActionName, type Fault, type FaultReport, type Milliseconds } from "./fault.ts";
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
  const wrong = complaintsOf(action, fault).find(([isSo]) => isSo);
  if (wrong !== undefined) throw badRequest(wrong[1]);
  return action;
}

/** What cannot be meant, and how that is told. */
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
