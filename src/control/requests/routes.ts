// The request log over HTTP.
import type { Query } from "../../apiserver/request/query.ts";
import { badRequest } from "../../meta/status.ts";
import type { ControlParameter, ControlRoute, ControlSchema } from "../control-route.ts";
import type { RequestFilter, RequestLog } from "./request-log.ts";

const TEXT_FILTERS = ["verb", "group", "resource", "namespace", "name", "userAgent", "user"] as const;
const NUMBER_FILTERS = {
  status: "HTTP status of the answer; 0 is none.",
  since: "Entries after the one with this sequence number.",
  limit: "The newest so many.",
} as const;
const NUMBER_NAMES = Object.keys(NUMBER_FILTERS) as (keyof typeof NUMBER_FILTERS)[]; // the keys above

const PARAMETERS: readonly ControlParameter[] = [
  ...TEXT_FILTERS.map((name) => ({
    name,
    description: `Only requests with this ${name}; * stands for any letters.`,
    schema: { type: "string" },
  })),
  ...NUMBER_NAMES.map((name) => ({
    name,
    description: NUMBER_FILTERS[name],
    schema: { type: "integer", minimum: 0 },
  })),
];

const text = (description: string): ControlSchema => ({ type: "string", description });

const ENTRY_SCHEMA: ControlSchema = {
  type: "object",
  properties: {
    sequence: { type: "integer", description: "Counts all requests since the start." },
    time: text("When it came, by the server's clock."),
    stage: {
      type: "string",
      enum: ["complete", "started", "ended"],
      description: "A watch is told of twice.",
    },
    verb: text("As authorisation knows it."),
    method: text("HTTP method."),
    path: text("With its query."),
    ...{
      group: text('"" is the core group.'),
      version: text("API version."),
      resource: text("Plural name."),
    },
    ...{ subresource: text("Such as status."), namespace: text("Of the path."), name: text("Of the path.") },
    ...{ user: text("In whose name."), userAgent: text("The header.") },
    status: { type: "integer", description: "0: the connection was broken before there was an answer." },
    durationMs: { type: "number", description: "By the server's clock." },
    fault: text("The faults that struck."),
    resourceVersion: text("The revision that the answer shows, where it is known without looking."),
  },
};

const LOG_SCHEMA: ControlSchema = {
  type: "object",
  properties: {
    items: { type: "array", items: ENTRY_SCHEMA },
    last: { type: "integer", description: "Sequence number of the newest entry, for the next ?since=." },
    missed: { type: "integer", description: "How many entries after ?since= are no longer kept." },
  },
};

export function requestLogRoutes(log: RequestLog): ControlRoute[] {
  return [
    {
      method: "GET",
      path: "/requests",
      operationId: "listRequests",
      summary: "The last requests, oldest first, without those to the control surface and the health checks.",
      query: PARAMETERS,
      answer: { description: "The entries.", schema: LOG_SCHEMA },
      handle: ({ raw }) => {
        const filter = readFilter(raw.query);
        return {
          json: { items: log.entries(filter), last: log.last, missed: log.missed(filter.since ?? 0) },
        };
      },
    },
    {
      method: "DELETE",
      path: "/requests",
      operationId: "clearRequests",
      summary: "Forgets all requests; the sequence goes on.",
      answer: { description: "The log is empty." },
      handle: () => {
        log.clear();
        return undefined;
      },
    },
  ];
}

/** Throws 400. */
function readFilter(query: Query): RequestFilter {
  const known = PARAMETERS.map(({ name }) => name);
  for (const key of query.keys()) {
    if (!known.includes(key)) throw badRequest(`there is no filter ${key}; there are ${known.join(", ")}`);
  }
  const filter: Record<string, string | number> = {};
  for (const name of TEXT_FILTERS) if (query.has(name)) filter[name] = query.get(name);
  for (const name of NUMBER_NAMES) {
    if (!query.has(name)) continue;
    const digits = query.get(name);
    if (!/^\d{1,15}$/.test(digits)) throw badRequest(`${name}=${digits} is no whole number`);
    filter[name] = Number(digits);
  }
  return filter;
}
