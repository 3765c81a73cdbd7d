// /egret/v1/clock and /egret/v1/seed.
import { badRequest } from "../../meta/status.ts";
import {
  type ControlRoute,
  closedObject,
  integer,
  object,
  oneOf,
  requiredBody,
  route,
  text,
} from "../control-route.ts";
import type { ClockControl } from "./clock-control.ts";
import { readDuration, readTime } from "./texts.ts";

const time = (description = "RFC 3339") => text(description, { format: "date-time" });
const mode = oneOf(["real", "frozen"]);
const TIMERS = integer("How much waits for time to pass.");
const CLOCK = [
  "The clock as it is then.",
  { schema: object({ mode, now: time(), timers: TIMERS }, ["mode", "now", "timers"]) },
] as const;
const SEED = closedObject({ seed: text("null: nothing repeats.", { nullable: true }) }, ["seed"]);

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
    answer: CLOCK,
    handle: () => control.state,
  }),
  route("PUT /clock", "setClock", {
    summary:
      "Stops the clock, at a time or where it is, or lets it run; what waits keeps the rest of its delay.",
    body: requiredBody<{ mode: "real" | "frozen"; now?: string }>(SET),
    answer: CLOCK,
    handle: ({ body: { mode, now } }) => {
      if (mode === "frozen") return control.freeze(now === undefined ? undefined : new Date(readTime(now)));
      if (now !== undefined) throw badRequest("a clock that runs shows the machine's time");
      return control.run();
    },
  }),
  route("POST /clock/advance", "advanceClock", {
    summary: "Lets time pass by a frozen clock; answers when all that fell due is done.",
    body: requiredBody<{ duration: string } | { to: string }>(ADVANCE),
    answer: CLOCK,
    handle: ({ body }) =>
      "to" in body
        ? control.advanceTo(new Date(readTime(body.to)))
        : control.advance(readDuration(body.duration)),
  }),
  route("POST /clock/settle", "settle", {
    summary: "Answers once all that the requests before have set off is done; no time passes for that.",
    access: "path",
    answer: CLOCK,
    handle: async () => {
      await control.settle();
      return control.state;
    },
  }),
  route("GET /seed", "getSeed", {
    summary: "What uids, generated names and other random choices are drawn from.",
    answer: ["The seed, or null.", { schema: SEED }],
    handle: () => ({ seed: control.seed ?? null }),
  }),
  route("PUT /seed", "setSeed", {
    summary: "From now on all is drawn as a new server with this seed draws it.",
    body: requiredBody<{ seed: string | null }>(SEED),
    answer: ["The seed, or null.", { schema: SEED }],
    handle: ({ body: { seed } }) => {
      control.reseed(seed ?? undefined);
      return { seed };
    },
  }),
];
