// A fault as JSON Schema: what bodies are checked against, and what the surface's own OpenAPI document shows.
import {
  type ControlSchema,
  closedObject,
  flag,
  integer,
  list,
  number,
  oneOf,
  text,
} from "../control-route.ts";
import { BREAKS, FAULT_VERBS, WATCH_ENDS, WITHHELD } from "./fault.ts";

const object = (
  description: string,
  properties: Readonly<Record<string, ControlSchema>>,
  required?: readonly string[],
): ControlSchema => ({ ...closedObject(properties, required), description });

const oneOrSeveral = (item: ControlSchema, description: string): ControlSchema => ({
  description,
  anyOf: [item, { ...list(item), minItems: 1 }],
});
const patterns = (description: string): ControlSchema =>
  oneOrSeveral(text(), `${description} One text or several; * stands for any letters.`);

const MATCH = object("Which requests the fault is about. What is left out matches everything.", {
  verb: oneOrSeveral(oneOf(FAULT_VERBS), "One verb or several."),
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

const someMilliseconds = number(undefined, { minimum: 0, maximum: 3_600_000 });
const milliseconds: ControlSchema = {
  description: "Always so many, or drawn evenly from a range, by the server's clock.",
  anyOf: [
    someMilliseconds,
    object("From min to max.", { min: someMilliseconds, max: someMilliseconds }, ["min", "max"]),
  ],
};

/** From none, or from one on. */
const atLeast = (minimum: number, description: string): ControlSchema => integer(description, { minimum });
const share = (description: string): ControlSchema => number(description, { minimum: 0, maximum: 1 });

const error = {
  code: integer("HTTP status.", { minimum: 400, maximum: 599 }),
  reason: text("Left out: the one that belongs to the code."),
  message: text("Left out: the words of a real server."),
  retryAfterSeconds: integer("Retry-After and details.retryAfterSeconds; 1 where it is left out with 429.", {
    minimum: 1,
    maximum: 3600,
  }),
  when: oneOf(["before", "after"], "after: the write is done, and its answer is lost."),
};
const delay = {
  milliseconds,
  when: oneOf(["before", "after"], "after: carried out at once, answered late."),
};
const disconnect = {
  how: oneOf(
    BREAKS,
    "reset: a TCP reset; close: in both directions; halfClose: nothing more is sent; hang: nothing happens.",
  ),
  when: oneOf(
    ["before", "after", "midBody"],
    "Before the request is carried out, after it, or in mid-answer.",
  ),
};
const watchEnd = {
  how: oneOf(
    WATCH_ENDS,
    "expired: an ERROR event 410; end: as at the end of its time; cut: half of an event, then the connection closes; else as disconnect.",
  ),
  afterEvents: atLeast(0, "So many events pass before."),
  message: text("Of the ERROR event."),
};
const withhold = oneOf(
  WITHHELD,
  "All, those that tell how far it has come, or the end of the initial events.",
);
const staleRead = {
  revisions: atLeast(1, "So many revisions before the newest; 1."),
  resourceVersion: text("The state at this one.", { pattern: "^[1-9]\\d*$" }),
  reads: oneOf(["cached", "all"], "cached: reads with resourceVersion=0; all: whatever they ask for."),
};

export const FAULT_SCHEMA: ControlSchema = object("A fault: it does exactly one thing.", {
  id: text("Left out: the server chooses one.", {
    pattern: "^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$",
  }),
  match: MATCH,
  skip: atLeast(0, "So many matching requests pass before."),
  count: atLeast(1, "It strikes so often; left out: for ever."),
  probability: share("Of striking; left out: 1."),
  error: object("A Status in the place of the answer.", error, ["code"]),
  delay: object("Latency.", delay, ["milliseconds"]),
  disconnect: object("Breaks the connection.", disconnect, ["how"]),
  slow: object("The body of the answer trickles.", { bytesPerSecond: atLeast(1, "By the server's clock.") }, [
    "bytesPerSecond",
  ]),
  watchEnd: object("Ends a watch, also one that is open already.", watchEnd, ["how"]),
  bookmarks: object("Withholds bookmarks of watches, also of open ones.", { withhold }, ["withhold"]),
  duplicateEvents: object("Sends events of watches twice, also of open ones.", {
    share: share("Of the events; left out: all."),
  }),
  lateEvents: object("Sends events of watches late and in order, also of open ones.", { milliseconds }, [
    "milliseconds",
  ]),
  staleRead: object("Shows a list, an object or the beginning of a watch as it was before.", staleRead),
  expireContinue: object("410 for lists that go on with a continue token.", {}),
});

export const FAULT_REPORT_SCHEMA: ControlSchema = object(
  "A fault and what it has done.",
  {
    id: text(),
    fault: FAULT_SCHEMA,
    matched: integer("How many requests it was about until it was spent, struck or not."),
    fired: integer("How often it has struck."),
    spent: flag("Whether it has struck as often as it was to."),
  },
  ["id", "fault", "matched", "fired", "spent"],
);

export const FAULT_LIST_SCHEMA: ControlSchema = object("All faults.", { items: list(FAULT_REPORT_SCHEMA) }, [
  "items",
]);
