// The request log over HTTP.
import type { Query } from "../../apiserver/request/request-info.ts";
import { badRequest } from "../../meta/status.ts";
import { type ControlRoute, integer, list, number, object, oneOf, route, text } from "../control-route.ts";
import { type RequestFilter, type RequestLog, type RequestLogEntry, TEXT_FILTERS } from "./request-log.ts";

const count = (description: string) => integer(description, { minimum: 0 });
const NUMBER_FILTERS = {
  status: count("HTTP status of the answer; 0 is none."),
  since: count("Entries after the one with this sequence number."),
  limit: count("The newest so many."),
};
const FILTERS = {
  ...Object.fromEntries(
    TEXT_FILTERS.map((name) => [name, text(`Only requests with this ${name}; * stands for any letters.`)]),
  ),
  ...NUMBER_FILTERS,
};

const ENTRY = object({
  sequence: integer("Counts all requests since the start."),
  time: text("When it came, by the server's clock."),
  stage: oneOf(["complete", "started", "ended"], "A watch is told of twice."),
  verb: text("As authorisation knows it."),
  method: text("HTTP method."),
  path: text("With its query."),
  group: text('"" is the core group.'),
  version: text("API version."),
  resource: text("Plural name."),
  subresource: text("Such as status."),
  namespace: text("Of the path."),
  name: text("Of the path."),
  user: text("In whose name."),
  userAgent: text("The header."),
  status: integer("0: the connection was broken before there was an answer."),
  durationMs: number("By the server's clock."),
  fault: text("The faults that struck."),
  resourceVersion: text("The revision that the answer shows, where it is known without looking."),
} satisfies Record<keyof RequestLogEntry, unknown>);

const LOG = object({
  items: list(ENTRY),
  last: integer("Sequence number of the newest entry, for the next ?since=."),
  missed: integer("How many entries after ?since= are no longer kept."),
});

export const requestLogRoutes = (log: RequestLog): ControlRoute[] => [
  route("GET /requests", "listRequests", {
    summary: "The last requests, oldest first, without those to the control surface and the health checks.",
    query: FILTERS,
    answer: ["The entries.", { schema: LOG }],
    handle: ({ raw }) => {
      const filter = readFilter(raw.query);
      return { items: log.entries(filter), last: log.last, missed: log.missed(filter.since ?? 0) };
    },
  }),
  route("DELETE /requests", "clearRequests", {
    summary: "Forgets all requests; the sequence goes on.",
    answer: ["The log is empty."],
    handle: () => log.clear(),
  }),
];

/** Throws 400. */
function readFilter(query: Query): RequestFilter {
  const filter: Record<string, string | number> = {};
  for (const name of query.keys()) {
    if (!Object.hasOwn(FILTERS, name))
      throw badRequest(`there is no filter ${name}; there are ${Object.keys(FILTERS).join(", ")}`);
    const value = query.get(name);
    const isNumber = Object.hasOwn(NUMBER_FILTERS, name);
    if (isNumber && !/^\d{1,15}$/.test(value)) throw badRequest(`${name}=${value} is no whole number`);
    filter[name] = isNumber ? Number(value) : value;
  }
  return filter;
}
