// The clock and the random seed of a running server. With a frozen clock and a seed the server is deterministic: the
// same requests in sequence get the same bytes. Each request then waits until the work started by earlier requests has
// completed (`held`). Otherwise the revisions of controller writes would depend on timing.

import { durationComplaint, durationMs } from "../../apimachinery/go/duration.ts";
import { parseGoTime, TIME_LAYOUT } from "../../apimachinery/go/time.ts";
import type { ControlledClock } from "../../apimachinery/meta/controlled-clock.ts";
import type { Chance } from "../../apimachinery/meta/ids.ts";
import { badRequest, failure, type StatusError } from "../../apimachinery/meta/status.ts";
import { isAnyPaused, yieldToEventLoop } from "../../apimachinery/scheduling/event-loop.ts";
import { type ClientFactory, clientThrough } from "../../controller/client.ts";
import type { StoreMeasurements } from "../../storage/store.ts";
import {
  type ControlRoute,
  type ControlSchema,
  closedObject,
  integer,
  object,
  oneOf,
  route,
  text,
  type ValueOf,
} from "./control-route.ts";

const time = (description = "RFC 3339") => text(description, { format: "date-time" });
const mode = oneOf(["real", "frozen"]);
const TIMERS = integer("How much waits for time to pass.");
const CLOCK = object({ mode, now: time(), timers: TIMERS }, ["mode", "now", "timers"]);
/** `timers` counts pending timers: watch timeouts, controller delays, and the like. */
export type ClockState = ValueOf<typeof CLOCK>;

export interface ClockControlOptions {
  readonly clock: ControlledClock;
  readonly chance: Chance;
  /** Resolves once the server is idle: no self-started work is running. */
  readonly settled: () => Promise<void>;
}

/** Limit of one advance. Every timer in between is one step. */
export const ADVANCE_MS_MAX = 366 * 24 * 3_600_000;

/** The 409 for a clock change that the current mode forbids, or that exceeds the limit. */
const unfit = (message: string): StatusError =>
  failure({ code: 409, reason: "Conflict", message, details: {} });

export class ClockControl {
  readonly #options: ClockControlOptions;

  constructor(options: ClockControlOptions) {
    this.#options = options;
  }

  get state(): ClockState {
    const { clock } = this.#options;
    return { mode: clock.frozen ? "frozen" : "real", now: timeText(clock.now()), timers: clock.timers };
  }

  /** undefined: random values are not reproducible. */
  get seed(): string | undefined {
    return this.#options.chance.seed;
  }

  /**
   * Freezes the clock, at the given time or at the current one. Pending timers keep their remaining delay. Throws a
   * StatusError 409 for an invalid Date.
   */
  async freeze(at?: Date): Promise<ClockState> {
    if (Number.isNaN(at?.getTime())) throw unfit("this is no time");
    await this.#options.clock.freeze(at?.getTime());
    return this.state;
  }

  /** Resumes the machine's clock. */
  async run(): Promise<ClockState> {
    await this.#options.clock.run();
    return this.state;
  }

  /**
   * Advances a frozen clock. Resolves when all due timers, and the work that they started, have completed. Throws a
   * StatusError 409 when the clock is running, and for a negative duration or more than ADVANCE_MS_MAX.
   */
  async advance(byMs: number): Promise<ClockState> {
    const { clock, settled } = this.#options;
    if (!(byMs >= 0 && byMs <= ADVANCE_MS_MAX)) {
      throw unfit("the clock is advanced by 0s to 8784h (366 days) at a time");
    }
    const done = await clock.advance(byMs, settled);
    if (!done) throw unfit("the clock runs by itself: it has to be frozen before it is advanced");
    return this.state;
  }

  /** Advances the clock to a time. Throws the errors of advance(), and a StatusError 409 for a time in the past. */
  async advanceTo(time: Date): Promise<ClockState> {
    if (Number.isNaN(time.getTime())) throw unfit("this is no time");
    const byMs = time.getTime() - this.#options.clock.now();
    if (byMs < 0) throw unfit(`it is later already: ${this.state.now}`);
    return this.advance(byMs);
  }

  /** Resolves once the work started by the requests so far has completed, except for pending timers. */
  settle(): Promise<void> {
    return this.#options.settled();
  }

  /** Restarts the random source: uids and generated names are those of a new server with this seed. undefined: random. */
  reseed(seed: string | undefined): void {
    this.#options.chance.reseed(seed);
  }

  /** Resolves when a new request may be processed; undefined: immediately. */
  held(): Promise<void> | undefined {
    const { clock, chance, settled } = this.#options;
    return clock.frozen && chance.seed !== undefined ? settled() : undefined;
  }

  /** Value of the Date header; undefined: the machine's time. */
  dateHeader(): string | undefined {
    const { clock } = this.#options;
    return clock.frozen ? new Date(clock.now()).toUTCString() : undefined;
  }
}

/**
 * Detects an idle server: no write is in progress and no call to another process is pending. All other self-started
 * work continues without delay, unless it waits for a timer. The server is therefore idle after one event-loop turn
 * without either.
 */
export class Settling {
  readonly #store: StoreMeasurements;
  #asking = 0;

  constructor(store: StoreMeasurements) {
    this.#store = store;
  }

  /** Wraps the function so that the server counts as busy while a call is pending. */
  counted<A, R>(ask: (of: A) => Promise<R>): (of: A) => Promise<R> {
    return async (of) => {
      this.#asking++;
      try {
        return await ask(of);
      } finally {
        this.#asking--;
      }
    };
  }

  /** Resolves when the server is idle. */
  async settled(): Promise<void> {
    do await yieldToEventLoop();
    while (this.#store.busy || this.#asking > 0 || isAnyPaused());
  }
}

/**
 * In-process clients for callers outside the server. Their requests wait for `held` as HTTP requests do, so that they
 * are deterministic as well.
 */
export const heldClients =
  (clientFor: ClientFactory, clock: Pick<ClockControl, "held">): ClientFactory =>
  (fieldManager, signal) =>
    clientThrough(clientFor(fieldManager, signal), async (_request, go) => {
      await clock.held();
      return await go();
    });

// Times and durations as text, in the formats of Kubernetes: RFC 3339, and Go durations ("90s", "1h30m").

/** Returns milliseconds since the epoch. Throws a 400. */
export function readTime(text: string): number {
  const parsed = parseGoTime(text, TIME_LAYOUT);
  if (!parsed.ok) throw badRequest(`${JSON.stringify(text)} is no time: write it as 2030-01-02T15:04:05Z`);
  return parsed.seconds * 1000 + Math.floor(parsed.nanoseconds / 1_000_000);
}

/** Returns milliseconds, not negative. Throws a 400. */
export function readDuration(text: string): number {
  const ms = durationMs(text);
  if (ms === undefined) throw badRequest(durationComplaint(text));
  if (ms < 0) throw badRequest(`${JSON.stringify(text)} is less than nothing`);
  return ms;
}

/** RFC 3339 in UTC, with milliseconds unless they are zero. */
export const timeText = (epochMs: number): string => new Date(epochMs).toISOString().replace(".000Z", "Z");

const NOW = ["The clock as it is then.", CLOCK] as const;
const SEED = closedObject(
  { seed: text("null: nothing repeats.", { nullable: true }) as ControlSchema<string | null> },
  ["seed"],
);
const SET = closedObject({ mode, now: time("The time at which it stands; only with the mode frozen.") }, [
  "mode",
]);
const ADVANCE = {
  ...closedObject({ duration: text('As Go writes it: "90s", "1h30m".'), to: time() }),
  ...{ minProperties: 1, maxProperties: 1 },
};

export const clockRoutes = (control: ClockControl): ControlRoute[] => [
  route("GET /clock", "getClock", {
    summary: "What time it is for the server, and whether its clock runs.",
    access: "path",
    answer: NOW,
    handle: () => control.state,
  }),
  route("PUT /clock", "setClock", {
    summary:
      "Stops the clock, at a time or where it is, or lets it run; what waits keeps the rest of its delay.",
    body: SET,
    answer: NOW,
    handle: ({ body: { mode, now } }) => {
      if (mode === "frozen") return control.freeze(now === undefined ? undefined : new Date(readTime(now)));
      if (now !== undefined) throw badRequest("a clock that runs shows the machine's time");
      return control.run();
    },
  }),
  route("POST /clock/advance", "advanceClock", {
    summary: "Lets time pass by a frozen clock; answers when all that fell due is done.",
    body: ADVANCE,
    answer: NOW,
    handle: ({ body: { to, duration = "" } }) =>
      to === undefined ? control.advance(readDuration(duration)) : control.advanceTo(new Date(readTime(to))),
  }),
  route("POST /clock/settle", "settle", {
    summary: "Answers once all that the requests before have set off is done; no time passes for that.",
    access: "path",
    answer: NOW,
    handle: async () => {
      await control.settle();
      return control.state;
    },
  }),
  route("GET /seed", "getSeed", {
    summary: "What uids, generated names and other random choices are drawn from.",
    answer: ["The seed, or null.", SEED],
    handle: () => ({ seed: control.seed ?? null }),
  }),
  route("PUT /seed", "setSeed", {
    summary: "From now on all is drawn as a new server with this seed draws it.",
    body: SEED,
    answer: ["The seed, or null.", SEED],
    handle: ({ body: { seed } }) => {
      control.reseed(seed ?? undefined);
      return { seed };
    },
  }),
];
