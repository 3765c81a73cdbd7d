// Object history within the store's retained revisions: each revision with its changes, time and writer; an object at a
// past revision; and compaction.

import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { badRequest, notFound } from "../../apimachinery/meta/status.ts";
import type { Query } from "../../apiserver/endpoints/request/request-info.ts";
import { decodeInVersion, prepareVersions } from "../../apiserver/registry/codec/versions.ts";
import type { ResourceView } from "../../apiserver/registry/definition/resource-definition.ts";
import { objectKey } from "../../apiserver/registry/definition/view.ts";
import type { ResourceRegistry } from "../../apiserver/registry/resource-registry.ts";
import type { KeyValue, KeyValueReader, KeyValueWriter } from "../../storage/store.ts";
import {
  type ControlRoute,
  closedObject,
  described,
  integer,
  list,
  maybe,
  object,
  oneOf,
  route,
  storedAnswer,
  text,
  type ValueOf,
} from "../control-surface/control-route.ts";
import { findResource } from "../control-surface/kinds.ts";
import { keptRevision, reachedRevision, readRevision } from "../control-surface/revisions.ts";
import type { RequestLog } from "../request-log/request-log.ts";
import {
  CHANGE,
  changesBetween,
  type LoggedWrite,
  loggedWrites,
  WRITE,
  WRITER,
  wordedChange,
  writersOf,
} from "./field-changes.ts";

/** An object name in user input. */
export interface ObjectName {
  /** Plural, singular, short name or kind, with or without its group ("egressips.k8s.ovn.org"). */
  readonly resource: string;
  /** "" is the core group; absent: any group that serves the resource. */
  readonly group?: string | undefined;
  /** Absent: default, for namespaced kinds. */
  readonly namespace?: string | undefined;
  readonly name: string;
}

/**
 * KEPT: the revision precedes the history window, so its changes are not known. A deletion records nothing in the
 * object, so it has no field managers. Without `request`, a controller of the server wrote, or the request log has
 * evicted the request.
 */
const REVISION = object({
  resourceVersion: text(),
  type: oneOf(["KEPT", "ADDED", "MODIFIED", "DELETED"]),
  time: maybe(text("RFC 3339; left out when nothing says it.")),
  by: list(WRITER, "Field managers."),
  request: maybe(WRITE),
  changes: list(CHANGE),
});
export type ObjectRevision = ValueOf<typeof REVISION>;

const oldestRevision = text("States before this revision are forgotten.");
const HISTORY = object({
  ...{ apiVersion: text(), kind: text(), namespace: text(), name: text(), oldestRevision },
  leftOut: integer("How many older revisions are known and left out."),
  revisions: list(REVISION, "Oldest first."),
});
export type ObjectHistory = ValueOf<typeof HISTORY>;

const COMPACTED = object({ oldestRevision, revision: text() });
export type CompactedStore = ValueOf<typeof COMPACTED>;

export interface HistoryDeps {
  readonly store: KeyValueReader & KeyValueWriter;
  readonly registry: ResourceRegistry;
  readonly requests: RequestLog;
}

/** Maximum number of revisions in one response. */
export const REVISIONS_MAX = 1000;

/** A state of the object and its revision; `after` undefined: the object was deleted at that revision. */
interface Step {
  readonly revision: number;
  /** The state before is compacted. */
  readonly isOldest?: boolean;
  readonly before: KeyValue | undefined;
  readonly after: KeyValue | undefined;
}

export class HistoryKeeper {
  readonly #deps: HistoryDeps;

  constructor(deps: HistoryDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the newest revisions, at most `limit`. Throws a 400 for an unknown resource, and a 404 for an object
   * without retained revisions.
   */
  async of(asked: ObjectName, limit = REVISIONS_MAX): Promise<ObjectHistory> {
    const { store } = this.#deps;
    const { view, namespace, name, key } = this.#find(asked);
    const known = stepsOf(store, key);
    if (known.length === 0) throw notFound(view.definition, name);
    const steps = known.slice(-Math.min(limit, REVISIONS_MAX));
    await prepareVersions(
      view,
      steps.flatMap(({ before, after }) => [before, after]).filter((kv) => kv !== undefined),
    );
    const { group, resource, kind } = view.definition;
    const writes = loggedWrites(this.#deps.requests, { group, resource, namespace, name });
    const apiVersion = [group, view.version.name].filter(Boolean).join("/");
    return {
      apiVersion,
      kind,
      namespace,
      name,
      oldestRevision: String(store.compactedRevision),
      leftOut: known.length - steps.length,
      revisions: steps.map((step) => revisionOf(view, step, writes.get(String(step.revision)))),
    };
  }

  /**
   * Returns the object at a revision, in its storage version. Throws a 400 for a revision beyond the newest, a 404 if
   * the object did not exist at it, and a 410 if it is compacted.
   */
  async objectAt(asked: ObjectName, revision: number): Promise<Readonly<KubeObject>> {
    const { store } = this.#deps;
    const { view, name, key } = this.#find(asked);
    const kv = store.get(key, keptRevision(store, revision));
    if (kv === undefined) throw notFound(view.definition, name);
    await prepareVersions(view, [kv]);
    return decodeInVersion(view, kv);
  }

  /** Compacts the store: reads before the revision get 410. Throws a 400 for a revision beyond the newest. */
  async compact(revision: number): Promise<CompactedStore> {
    const { store } = this.#deps;
    await store.compact(reachedRevision(store, revision));
    return { oldestRevision: String(store.compactedRevision), revision: String(store.revision) };
  }

  #find({ resource, group, namespace = "default", name, ...others }: ObjectName) {
    const [unknown] = Object.keys(others);
    if (unknown !== undefined)
      throw badRequest(`an object is named by resource, group, namespace and name, not by ${unknown}`);
    const view = findResource(this.#deps.registry, resource, group);
    const own = view.definition.namespaceScoped ? namespace : "";
    return { view, namespace: own, name, key: objectKey(view.definition, own, name) };
  }
}

function revisionOf(
  view: ResourceView,
  { revision, before, after, isOldest = false }: Step,
  request: LoggedWrite | undefined,
): ObjectRevision {
  const old = before && decodeInVersion(view, before);
  const now = after && decodeInVersion(view, after);
  const { node } = view.version;
  const changes = now === undefined || isOldest ? [] : changesBetween(old, now, node);
  const { by, time } = now === undefined ? { by: [], time: undefined } : writersOf(old, now, changes);
  const when = request?.time ?? time;
  return {
    resourceVersion: String(revision),
    type: isOldest ? "KEPT" : now === undefined ? "DELETED" : old === undefined ? "ADDED" : "MODIFIED",
    ...(when ? { time: when } : {}),
    by,
    ...(request ? { request } : {}),
    changes: changes.map(wordedChange),
  };
}

/** The oldest retained state, if any, and the changes since. */
function stepsOf(store: KeyValueReader & KeyValueWriter, key: string): Step[] {
  const events = store.changesOf(key);
  const [first] = events;
  const oldest = first === undefined ? store.get(key) : first.prev;
  const steps: Step[] = events.map((event) =>
    event.type === "put"
      ? { revision: event.kv.modRevision, before: event.prev, after: event.kv }
      : { revision: event.revision, before: event.prev, after: undefined },
  );
  if (oldest === undefined) return steps;
  return [{ revision: oldest.modRevision, before: undefined, after: oldest, isOldest: true }, ...steps];
}

const ASKED = {
  group: text('"" is the core group; left out: whichever there is.'),
  namespace: text("Left out: default, for kinds that have namespaces."),
};
const COMPACT = closedObject(
  { revision: described<number | string>({ type: ["integer", "string"] }, "The oldest to keep.") },
  ["revision"],
);

export const historyRoutes = (keeper: HistoryKeeper): ControlRoute[] => [
  route("GET /history/{resource}/{name}", "getHistory", {
    summary:
      "Each revision of an object that is still known: what has changed, when, and who has written it.",
    query: { ...ASKED, limit: integer("The newest so many.", { minimum: 1, maximum: REVISIONS_MAX }) },
    answer: ["The revisions, oldest first.", HISTORY],
    handle: async ({ path, raw: { query } }) =>
      storedAnswer(200, await keeper.of(nameOf(path, query), readLimit(query))),
  }),
  route("GET /objects/{resource}/{name}", "getObjectAt", {
    summary: "An object exactly as it was at a revision.",
    query: { ...ASKED, resourceVersion: text("A revision of the store.", { required: true }) },
    answer: ["The object in its storage version.", { type: "object" }],
    handle: async ({ path, raw: { query } }) => {
      const revision = readRevision(query.get("resourceVersion"), "resourceVersion");
      return storedAnswer(200, await keeper.objectAt(nameOf(path, query), revision));
    },
  }),
  route("POST /compact", "compact", {
    summary: "Forgets all states before a revision: who asks for one of them gets a 410.",
    body: COMPACT,
    answer: ["What can be read now.", COMPACTED],
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
