// /egret/v1/history, /egret/v1/objects and /egret/v1/compact.

import { JSON_TYPE } from "../../apiserver/api-request.ts";
import type { Query } from "../../apiserver/request/query.ts";
import { encodeJson } from "../../meta/json-encode.ts";
import { badRequest } from "../../meta/status.ts";
import type { ControlAnswer, ControlParameter, ControlRoute, ControlSchema } from "../control-route.ts";
import { type HistoryKeeper, type ObjectName, REVISIONS_MAX } from "./history-keeper.ts";

const text = (description?: string): ControlSchema => ({
  type: "string",
  ...(description ? { description } : {}),
});

const OBJECT_PARAMETERS: readonly ControlParameter[] = [
  { name: "group", description: '"" is the core group; left out: whichever there is.', schema: text() },
  { name: "namespace", description: "Left out: default, for kinds that have namespaces.", schema: text() },
];

const WRITER: ControlSchema = {
  type: "object",
  properties: { manager: text(), operation: text("Apply or Update."), subresource: text() },
};
const REQUEST: ControlSchema = {
  type: "object",
  properties: { user: text(), userAgent: text(), verb: text(), time: text("RFC 3339") },
};
const CHANGE: ControlSchema = {
  type: "object",
  properties: {
    path: text("spec.egressIPs, status.conditions[type=Ready].status"),
    before: { description: "Left out: it was not there." },
    after: { description: "Left out: it is not there any more." },
  },
};
const REVISION: ControlSchema = {
  type: "object",
  properties: {
    resourceVersion: text(),
    type: { type: "string", enum: ["KEPT", "ADDED", "MODIFIED", "DELETED"] },
    time: text("RFC 3339; left out when nothing says it."),
    by: { type: "array", items: WRITER, description: "Field managers." },
    request: REQUEST,
    changes: { type: "array", items: CHANGE },
  },
};
const HISTORY: ControlSchema = {
  type: "object",
  properties: {
    apiVersion: text(),
    kind: text(),
    namespace: text(),
    name: text(),
    oldestRevision: text("States before this revision are forgotten."),
    leftOut: { type: "integer", description: "How many older revisions are known and left out." },
    revisions: { type: "array", items: REVISION, description: "Oldest first." },
  },
};
const COMPACTED: ControlSchema = {
  type: "object",
  properties: { oldestRevision: text("States before this revision are forgotten."), revision: text() },
};

export const historyRoutes = (keeper: HistoryKeeper): ControlRoute[] => [
  {
    method: "GET",
    path: "/history/{resource}/{name}",
    operationId: "getHistory",
    summary:
      "Each revision of an object that is still known: what has changed, when, and who has written it.",
    query: [
      ...OBJECT_PARAMETERS,
      {
        name: "limit",
        description: "The newest so many.",
        schema: { type: "integer", minimum: 1, maximum: REVISIONS_MAX },
      },
    ],
    answer: { description: "The revisions, oldest first.", schema: HISTORY },
    handle: async ({ path, raw }) =>
      jsonAnswer(await keeper.of(nameOf(path, raw.query), readLimit(raw.query))),
  },
  {
    method: "GET",
    path: "/objects/{resource}/{name}",
    operationId: "getObjectAt",
    summary: "An object exactly as it was at a revision.",
    query: [
      ...OBJECT_PARAMETERS,
      { name: "resourceVersion", description: "A revision of the store.", required: true, schema: text() },
    ],
    answer: { description: "The object in its storage version.", schema: { type: "object" } },
    handle: async ({ path, raw }) => {
      const revision = readRevision(raw.query.get("resourceVersion"), "resourceVersion");
      return jsonAnswer(await keeper.objectAt(nameOf(path, raw.query), revision));
    },
  },
  {
    method: "POST",
    path: "/compact",
    operationId: "compact",
    summary: "Forgets all states before a revision: who asks for one of them gets a 410.",
    body: {
      required: true,
      schema: {
        type: "object",
        required: ["revision"],
        additionalProperties: false,
        properties: { revision: { type: ["integer", "string"], description: "The oldest to keep." } },
      },
    },
    answer: { description: "What can be read now.", schema: COMPACTED },
    handle: async ({ body }) => {
      const { revision } = body as { revision: number | string }; // as its schema says
      return { json: await keeper.compact(readRevision(String(revision), "revision")) };
    },
  },
];

/** An object may hold integers that JSON.stringify does not know. */
const jsonAnswer = (value: unknown): ControlAnswer => ({
  response: {
    status: 200,
    headers: { "content-type": JSON_TYPE },
    body: Buffer.from(`${encodeJson(value)}\n`),
  },
});

function nameOf(path: Readonly<Record<string, string>>, query: Query): ObjectName {
  const { resource = "", name = "" } = path;
  return {
    resource,
    name,
    group: query.has("group") ? query.get("group") : undefined,
    namespace: query.get("namespace") || undefined,
  };
}

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
