// /egret/v1/clock and /egret/v1/seed.
import { badRequest, failure, type StatusError } from "../../meta/status.ts";
import type { ControlAnswer, ControlRoute, ControlSchema } from "../control-route.ts";
import { type ClockControl, ClockError, type ClockState } from "./clock-control.ts";
import { readDuration, readTime, TextError } from "./texts.ts";

const TIME: ControlSchema = { type: "string", format: "date-time", description: "RFC 3339" };
const CLOCK_STATE: ControlSchema = {
  type: "object",
  required: ["mode", "now", "timers"],
  properties: {
    mode: { type: "string", enum: ["real", "frozen"] },
    now: TIME,
    timers: { type: "integer", description: "How much waits for time to pass." },
  },
};
const SEED: ControlSchema = {
  type: "object",
  required: ["seed"],
  additionalProperties: false,
  properties: { seed: { type: "string", nullable: true, description: "null: nothing repeats." } },
};
const clockAnswer = { description: "The clock as it is then.", schema: CLOCK_STATE };

export const clockRoutes = (control: ClockControl): ControlRoute[] => [
  {
    method: "GET",
    path: "/clock",
    operationId: "getClock",
    access: "path",
    summary: "What time it is for the server, and whether its clock runs.",
    answer: clockAnswer,
    handle: () => ({ json: control.state }),
  },
  putClock(control),
  advanceClock(control),
  {
    method: "POST",
    path: "/clock/settle",
    operationId: "settle",
    access: "path",
    summary: "Answers once all that the requests before have set off is done; no time passes for that.",
    answer: clockAnswer,
    handle: async () => {
      await control.settle();
      return { json: control.state };
    },
  },
  {
    method: "GET",
    path: "/seed",
    operationId: "getSeed",
    summary: "What uids, generated names and other random choices are drawn from.",
    answer: { description: "The seed, or null.", schema: SEED },
    handle: () => ({ json: { seed: control.seed ?? null } }),
  },
  putSeed(control),
];

function putClock(control: ClockControl): ControlRoute {
  return {
    method: "PUT",
    path: "/clock",
    operationId: "setClock",
    summary:
      "Stops the clock, at a time or where it is, or lets it run; what waits keeps the rest of its delay.",
    body: {
      required: true,
      schema: {
        type: "object",
        required: ["mode"],
        additionalProperties: false,
        properties: {
          mode: { type: "string", enum: ["real", "frozen"] },
          now: { ...TIME, description: "The time at which it stands; only with the mode frozen." },
        },
      },
    },
    answer: clockAnswer,
    handle: ({ body }) => {
      const { mode, now } = body as { mode: "real" | "frozen"; now?: string }; // as its schema says
      if (mode === "real" && now !== undefined)
        throw badRequest("a clock that runs shows the machine's time");
      return answered(() => {
        if (mode === "real") return control.run();
        return control.freeze(now === undefined ? undefined : new Date(readTime(now)));
      });
    },
  };
}

function advanceClock(control: ClockControl): ControlRoute {
  return {
    method: "POST",
    path: "/clock/advance",
    operationId: "advanceClock",
    summary: "Lets time pass by a frozen clock; answers when all that fell due is done.",
    body: {
      required: true,
      schema: {
        type: "object",
        additionalProperties: false,
        minProperties: 1,
        maxProperties: 1,
        properties: {
          duration: { type: "string", description: 'As Go writes it: "90s", "1h30m".' },
          to: TIME,
        },
      },
    },
    answer: clockAnswer,
    handle: ({ body }) => {
      const { duration, to } = body as { duration?: string; to?: string }; // as its schema says
      return answered(() => {
        if (to !== undefined) return control.advanceTo(new Date(readTime(to)));
        return control.advance(readDuration(duration ?? "0"));
      });
    },
  };
}

function putSeed(control: ClockControl): ControlRoute {
  return {
    method: "PUT",
    path: "/seed",
    operationId: "setSeed",
    summary: "From now on all is drawn as a new server with this seed draws it.",
    body: { required: true, schema: SEED },
    answer: { description: "The seed, or null.", schema: SEED },
    handle: ({ body }) => {
      const { seed } = body as { seed: string | null }; // as its schema says
      control.reseed(seed ?? undefined);
      return { json: { seed } };
    },
  };
}

async function answered(change: () => Promise<ClockState>): Promise<ControlAnswer> {
  try {
    return { json: await change() };
  } catch (error) {
    if (error instanceof TextError) throw badRequest(error.message);
    if (error instanceof ClockError) throw unfit(error.message);
    throw error;
  }
}

/** What cannot be done as the clock is now. */
const unfit = (message: string): StatusError =>
  failure({ code: 409, reason: "Conflict", message, details: {} });
