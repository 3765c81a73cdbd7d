// /egret/v1/history, /egret/v1/objects and /egret/v1/compact.
import type { Query } from "../../apiserver/request/request-info.ts";
import { badRequest } from "../../meta/status.ts";
import {
  type ControlRoute,
  closedObject,
  integer,
  list,
  object,
  oneOf,
  requiredBody,
  route,
  storedAnswer,
  text,
} from "../control-route.ts";
import { type HistoryKeeper, type ObjectName, REVISIONS_MAX } from "./history-keeper.ts";

const ASKED = {
  group: text('"" is the core group; left out: whichever there is.'),
  namespace: text("Left out: default, for kinds that have namespaces."),
};

const CHANGE = object({
  path: text("spec.egressIPs, status.conditions[type=Ready].status"),
  before: { description: "Left out: it was not there." },
  after: { description: "Left out: it is not there any more." },
});
const REVISION = object({
  resourceVersion: text(),
  type: oneOf(["KEPT", "ADDED", "MODIFIED", "DELETED"]),
  time: text("RFC 3339; left out when nothing says it."),
  by: list(
    object({ manager: text(), operation: text("Apply or Update."), subresource: text() }),
    "Field managers.",
  ),
  request: object({ user: text(), userAgent: text(), verb: text(), time: text("RFC 3339") }),
  changes: list(CHANGE),
});
const oldestRevision = text("States before this revision are forgotten.");
const HISTORY = object({
  ...{ apiVersion: text(), kind: text(), namespace: text(), name: text(), oldestRevision },
  leftOut: integer("How many older revisions are known and left out."),
  revisions: list(REVISION, "Oldest first."),
});
const COMPACT = closedObject(
  { revision: { type: ["integer", "string"], description: "The oldest to keep." } },
  ["revision"],
);

export const historyRoutes = (keeper: HistoryKeeper): ControlRoute[] => [
  route("GET /history/{resource}/{name}", "getHistory", {
    summary:
      "Each revision of an object that is still known: what has changed, when, and who has written it.",
    query: { ...ASKED, limit: integer("The newest so many.", { minimum: 1, maximum: REVISIONS_MAX }) },
    answer: ["The revisions, oldest first.", { schema: HISTORY }],
    handle: async ({ path, raw: { query } }) =>
      storedAnswer(200, await keeper.of(nameOf(path, query), readLimit(query))),
  }),
  route("GET /objects/{resource}/{name}", "getObjectAt", {
    summary: "An object exactly as it was at a revision.",
    query: { ...ASKED, resourceVersion: text("A revision of the store.", { required: true }) },
    answer: ["The object in its storage version.", { schema: { type: "object" } }],
    handle: async ({ path, raw: { query } }) => {
      const revision = readRevision(query.get("resourceVersion"), "resourceVersion");
      return storedAnswer(200, await keeper.objectAt(nameOf(path, query), revision));
    },
  }),
  route("POST /compact", "compact", {
    summary: "Forgets all states before a revision: who asks for one of them gets a 410.",
    body: requiredBody<{ revision: number | string }>(COMPACT),
    answer: ["What can be read now.", { schema: object({ oldestRevision, revision: text() }) }],
    handle: ({ body: { revision } }) => keeper.compact(readRevision(String(revision), "revision")),
  }),
];

const nameOf = (path: { readonly resource: string; readonly name: string }, query: Query): ObjectName => ({
  ...path,
  group: query.has("group") ? query.get("group") : undefined,
  namespace: query.get("namespace") || undefined,
});

function readLimit(query: Query): number {
  const digits = query.get("limit") || String(REVISIONS_MAX);
  const limit = Number(digits);
  if (/^\d{1,9}$/.test(digits) && limit >= 1 && limit <= REVISIONS_MAX) return limit;
  throw badRequest(`limit ${JSON.stringify(digits)} is none of 1 to ${REVISIONS_MAX}`);
}

function readRevision(digits: string, field: string): number {
  if (!/^[1-9]\d{0,15}$/.test(digits)) throw badRequest(`${field} ${JSON.stringify(digits)} is no revision`);
  return Number(digits);
}
