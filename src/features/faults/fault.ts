// The definition of a fault: which requests it matches, how often it strikes, and its one action. Request bodies are
// validated with these schemas, and the surface's OpenAPI document contains them. TypeScript tests use the derived
// types.
import {
  anyOf,
  type ControlSchema,
  closedObject,
  described,
  flag,
  integer,
  list,
  number,
  oneOf,
  text,
  type ValueOf,
} from "../control-surface/control-route.ts";

const oneOrSeveral = <T>(item: ControlSchema<T>, description: string): ControlSchema<T | readonly T[]> =>
  anyOf(description, item, { ...list(item), minItems: 1 });
const patterns = (description: string) =>
  oneOrSeveral(text(), `${description} One text or several; * stands for any letters.`);
/** One pattern, or several alternatives. */
export type Patterns = ValueOf<ReturnType<typeof patterns>>;

const VERB = oneOf(["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"]);
export type FaultVerb = ValueOf<typeof VERB>;

/** The request fields that patterns match. The last three also apply to non-resource requests. */
const FIELDS = {
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
};
export type MatchField = keyof typeof FIELDS;
export const MATCH_FIELDS = Object.keys(FIELDS) as MatchField[]; // exactly the keys of FIELDS
const MATCH = described(
  closedObject({ verb: oneOrSeveral(VERB, "One verb or several."), ...FIELDS }),
  "Which requests the fault is about. What is left out matches everything.",
);
export type FaultMatch = ValueOf<typeof MATCH>;

const someMilliseconds = number(undefined, { minimum: 0, maximum: 3_600_000 });
const range = closedObject({ min: someMilliseconds, max: someMilliseconds }, ["min", "max"]);
const milliseconds = anyOf(
  "Always so many, or drawn evenly from a range, by the server's clock.",
  someMilliseconds,
  described(range, "From min to max."),
);
export type Milliseconds = ValueOf<typeof milliseconds>;

const atLeast = (minimum: number, description: string) => integer(description, { minimum });
const share = (description: string) => number(description, { minimum: 0, maximum: 1 });

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
const BREAKS = ["reset", "close", "halfClose", "hang"] as const;
export type Break = (typeof BREAKS)[number];
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
    ["expired", "end", "cut", ...BREAKS],
    "expired: an ERROR event 410; end: as at the end of its time; cut: half of an event, then the connection closes; else as disconnect.",
  ),
  afterEvents: atLeast(0, "So many events pass before."),
  message: text("Of the ERROR event."),
};
const withhold = oneOf(
  ["all", "periodic", "initialEventsEnd"],
  "All, those that tell how far it has come, or the end of the initial events.",
);
const staleRead = {
  revisions: atLeast(1, "So many revisions before the newest; 1."),
  resourceVersion: text("The state at this one.", { pattern: "^[1-9]\\d*$" }),
  reads: oneOf(["cached", "all"], "cached: reads with resourceVersion=0; all: whatever they ask for."),
};
const nothing: ControlSchema<Readonly<Record<string, never>>> = closedObject({});

/** A fault has exactly one action. */
const ACTIONS = {
  error: described(closedObject(error, ["code"]), "A Status in the place of the answer."),
  delay: described(closedObject(delay, ["milliseconds"]), "Latency."),
  disconnect: described(closedObject(disconnect, ["how"]), "Breaks the connection."),
  slow: described(
    closedObject({ bytesPerSecond: atLeast(1, "By the server's clock.") }, ["bytesPerSecond"]),
    "The body of the answer trickles.",
  ),
  watchEnd: described(closedObject(watchEnd, ["how"]), "Ends a watch, also one that is open already."),
  bookmarks: described(
    closedObject({ withhold }, ["withhold"]),
    "Withholds bookmarks of watches, also of open ones.",
  ),
  duplicateEvents: described(
    closedObject({ share: share("Of the events; left out: all.") }),
    "Sends events of watches twice, also of open ones.",
  ),
  lateEvents: described(
    closedObject({ milliseconds }, ["milliseconds"]),
    "Sends events of watches late and in order, also of open ones.",
  ),
  staleRead: described(
    closedObject(staleRead),
    "Shows a list, an object or the beginning of a watch as it was before.",
  ),
  expireContinue: described(nothing, "410 for lists that go on with a continue token."),
};
export type ActionName = keyof typeof ACTIONS;
export const ACTION_NAMES = Object.keys(ACTIONS) as ActionName[]; // exactly the keys of ACTIONS

export const FAULT_SCHEMA = described(
  closedObject({
    id: text("Left out: the server chooses one.", {
      pattern: "^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$",
    }),
    match: MATCH,
    skip: atLeast(0, "So many matching requests pass before."),
    count: atLeast(1, "It strikes so often; left out: for ever."),
    probability: share("Of striking; left out: 1."),
    ...ACTIONS,
  }),
  "A fault: it does exactly one thing.",
);
/** A fault as a client defines it. */
export type Fault = ValueOf<typeof FAULT_SCHEMA>;
export type Action<Name extends ActionName> = NonNullable<Fault[Name]>;

export const FAULT_REPORT_SCHEMA = described(
  closedObject(
    {
      id: text(),
      fault: FAULT_SCHEMA,
      matched: integer("How many requests it was about until it was spent, struck or not."),
      fired: integer("How often it has struck."),
      spent: flag("Whether it has struck as often as it was to."),
    },
    ["id", "fault", "matched", "fired", "spent"],
  ),
  "A fault and what it has done.",
);
/** A fault with its counters. */
export type FaultReport = ValueOf<typeof FAULT_REPORT_SCHEMA>;

export const FAULT_LIST_SCHEMA = described(
  closedObject({ items: list(FAULT_REPORT_SCHEMA) }, ["items"]),
  "All faults.",
);
