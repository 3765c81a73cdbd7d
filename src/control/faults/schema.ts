// A fault as JSON Schema: what bodies are checked against, and what the surface's own OpenAPI document shows.
import { lookupTable } from "../../meta/json.ts";
import type { ControlSchema } from "../control-route.ts";
import { BREAKS, FAULT_VERBS, WATCH_ENDS, WITHHELD } from "./fault.ts";

const object = (
  description: string,
  properties: Readonly<Record<string, ControlSchema>>,
  required: readonly string[] = [],
): ControlSchema => ({
  type: "object",
  description,
  properties,
  ...(required.length > 0 ? { required } : {}),
  additionalProperties: false,
});

const oneOf = (values: readonly string[], description: string): ControlSchema => ({
  type: "string",
  enum: values,
  description,
});

const patterns = (description: string): ControlSchema => ({
  description: `${description} One text or several; * stands for any letters.`,
  anyOf: [{ type: "string" }, { type: "array", minItems: 1, items: { type: "string" } }],
});

const MATCH = object("Which requests the fault is about. What is left out matches everything.", {
  verb: {
    description: "One verb or several.",
    anyOf: [
      { type: "string", enum: FAULT_VERBS },
      { type: "array", minItems: 1, items: { type: "string", enum: FAULT_VERBS } },
    ],
  },
  group: patterns('API group; "" is the core group.'),
  version: patterns("API version."),
  resource: patterns("Plural name in lower case."),
  subresource: patterns('Such as status; "" is the object itself.'),
  namespace: patterns("Namespace of the path."),
  name: patterns("Name in the path, in the body of a create, or in the fieldSelector of a list or watch."),
  userAgent: patterns(
    "The header; of a controller inside the server its field manager. Those are hit only when this names them.",
  ),
  user: patterns("In whose name the request is made."),
  path: patterns(
    "A path that names no resource, such as /apis. Such paths are hit only when this names them.",
  ),
});

const MILLISECONDS_MAX = 3_600_000;
const milliseconds: ControlSchema = {
  description: "Always so many, or drawn evenly from a range, by the server's clock.",
  anyOf: [
    { type: "number", minimum: 0, maximum: MILLISECONDS_MAX },
    object(
      "From min to max.",
      {
        min: { type: "number", minimum: 0, maximum: MILLISECONDS_MAX },
        max: { type: "number", minimum: 0, maximum: MILLISECONDS_MAX },
      },
      ["min", "max"],
    ),
  ],
};

const ACTIONS: Readonly<Record<string, ControlSchema>> = lookupTable({
  error: object(
    "A Status in the place of the answer.",
    {
      code: { type: "integer", minimum: 400, maximum: 599, description: "HTTP status." },
      reason: { type: "string", description: "Left out: the one that belongs to the code." },
      message: { type: "string", description: "Left out: the words of a real server." },
      retryAfterSeconds: {
        type: "integer",
        minimum: 1,
        maximum: 3600,
        description: "Retry-After and details.retryAfterSeconds; 1 where it is left out with 429.",
      },
      when: oneOf(["before", "after"], "after: the write is done, and its answer is lost."),
    },
    ["code"],
  ),
  delay: object(
    "Latency.",
    { milliseconds, when: oneOf(["before", "after"], "after: carried out at once, answered late.") },
    ["milliseconds"],
  ),
  disconnect: object(
    "Breaks the connection.",
    {
      how: oneOf(
        BREAKS,
        "reset: a TCP reset; close: in both directions; halfClose: nothing more is sent; hang: nothing happens.",
      ),
      when: oneOf(
        ["before", "after", "midBody"],
        "Before the request is carried out, after it, or in mid-answer.",
      ),
    },
    ["how"],
  ),
  slow: object(
    "The body of the answer trickles.",
    { bytesPerSecond: { type: "integer", minimum: 1, description: "By the server's clock." } },
    ["bytesPerSecond"],
  ),
  watchEnd: object(
    "Ends a watch, also one that is open already.",
    {
      how: oneOf(
        WATCH_ENDS,
        "expired: an ERROR event 410; end: as at the end of its time; cut: half of an event, then the connection closes; else as disconnect.",
      ),
      afterEvents: { type: "integer", minimum: 0, description: "So many events pass before." },
      message: { type: "string", description: "Of the ERROR event." },
    },
    ["how"],
  ),
  bookmarks: object(
    "Withholds bookmarks of watches, also of open ones.",
    {
      withhold: oneOf(
        WITHHELD,
        "All, those that tell how far it has come, or the end of the initial events.",
      ),
    },
    ["withhold"],
  ),
  duplicateEvents: object("Sends events of watches twice, also of open ones.", {
    share: { type: "number", minimum: 0, maximum: 1, description: "Of the events; left out: all." },
  }),
  lateEvents: object("Sends events of watches late and in order, also of open ones.", { milliseconds }, [
    "milliseconds",
  ]),
  staleRead: object("Shows a list, an object or the beginning of a watch as it was before.", {
    revisions: { type: "integer", minimum: 1, description: "So many revisions before the newest; 1." },
    resourceVersion: { type: "string", pattern: "^[1-9]\\d*$", description: "The state at this one." },
    reads: oneOf(["cached", "all"], "cached: reads with resourceVersion=0; all: whatever they ask for."),
  }),
  expireContinue: object("410 for lists that go on with a continue token.", {}),
});

export const FAULT_SCHEMA: ControlSchema = object("A fault: it does exactly one thing.", {
  id: {
    type: "string",
    pattern: "^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$",
    description: "Left out: the server chooses one.",
  },
  match: MATCH,
  skip: { type: "integer", minimum: 0, description: "So many matching requests pass before." },
  count: { type: "integer", minimum: 1, description: "It strikes so often; left out: for ever." },
  probability: { type: "number", minimum: 0, maximum: 1, description: "Of striking; left out: 1." },
  ...ACTIONS,
});

export const FAULT_REPORT_SCHEMA: ControlSchema = object(
  "A fault and what it has done.",
  {
    id: { type: "string" },
    fault: FAULT_SCHEMA,
    matched: {
      type: "integer",
      description: "How many requests it was about until it was spent, struck or not.",
    },
    fired: { type: "integer", description: "How often it has struck." },
    spent: { type: "boolean", description: "Whether it has struck as often as it was to." },
  },
  ["id", "fault", "matched", "fired", "spent"],
);

export const FAULT_LIST_SCHEMA: ControlSchema = object(
  "All faults.",
  { items: { type: "array", items: FAULT_REPORT_SCHEMA } },
  ["items"],
);
