// The past of objects, as far as the store keeps it: each revision of one with what changed, when and by whom; an
// object as it was; and the end of that past.
import type { KubeObject } from "../../meta/object-meta.ts";
import { toRevision } from "../../meta/revision.ts";
import { badRequest, notFound } from "../../meta/status.ts";
import { decodeInVersion, prepareVersions } from "../../registry/codec/versions.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { objectKey } from "../../registry/definition/view.ts";
import type { ResourceRegistry } from "../../registry/resource-registry.ts";
import { tooOldResourceVersion } from "../../registry/resource-version.ts";
import type { KeyValue, Store } from "../../storage/store.ts";
import { findResource } from "../kinds.ts";
import type { RequestLog } from "../requests/request-log.ts";
import { changesBetween, type FieldChange, pathText } from "./field-changes.ts";
import { type LoggedWrite, loggedWrites, type Writer, writersOf } from "./writers.ts";

/** One object, in the words of a person. */
export interface ObjectName {
  /** Plural, singular, short name or kind, with or without its group ("egressips.k8s.ovn.org"). */
  readonly resource: string;
  /** "" is the core group; left out: whichever there is. */
  readonly group?: string | undefined;
  /** Left out: default, for kinds that have namespaces. */
  readonly namespace?: string | undefined;
  readonly name: string;
}

export interface ChangedField {
  /** "spec.egressIPs", "status.conditions[type=Ready].status". */
  readonly path: string;
  /** Left out: it was not there. */
  readonly before?: unknown;
  /** Left out: it is not there any more. */
  readonly after?: unknown;
}

export interface ObjectRevision {
  readonly resourceVersion: string;
  /** KEPT: it is older than the past that is kept, and what changed then is no longer known. */
  readonly type: "KEPT" | "ADDED" | "MODIFIED" | "DELETED";
  /** RFC 3339; left out when nothing says it. */
  readonly time?: string;
  /** Field managers; none for a deletion, which leaves no trace in an object. */
  readonly by: readonly Writer[];
  /** Left out: one of the server's own controllers has written, or it is too long ago. */
  readonly request?: LoggedWrite;
  readonly changes: readonly ChangedField[];
}

export interface ObjectHistory {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** States before this revision are forgotten. */
  readonly oldestRevision: string;
  /** How many revisions before those below are known and left out. */
  readonly leftOut: number;
  /** Oldest first. */
  readonly revisions: readonly ObjectRevision[];
}

export interface CompactedStore {
  /** States before this revision are forgotten. */
  readonly oldestRevision: string;
  readonly revision: string;
}

export interface HistoryDeps {
  readonly store: Store;
  readonly registry: ResourceRegistry;
  readonly requests: RequestLog;
}

/** So many revisions of one object are told of at a time. */
export const REVISIONS_MAX = 1000;

/** A state of the object and the revision at which it came to be; undefined: it was gone from then on. */
interface Step {
  readonly revision: number;
  /** What was before is no longer known. */
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
   * The newest revisions, so many at most. Throws a 400 for an unknown resource, and a 404 for an object of which nothing is
   * known.
   */
  async of(asked: ObjectName, limit = REVISIONS_MAX): Promise<ObjectHistory> {
    const { store } = this.#deps;
    const { view, namespace, name, key } = this.#find(asked);
    const known = stepsOf(store, key);
    if (known.length === 0) throw notFound(view.definition, name);
    const steps = known.slice(-Math.min(limit, REVISIONS_MAX));
    await prepareVersions(view, steps.flatMap(({ before, after }) => [before, after]).filter(isThere));
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
   * The object as it was at a revision, in its storage version. Throws a 400 for a revision that is not there yet, a 404 when there
   * was no such object then, and a 410 when that has been forgotten.
   */
  async objectAt(asked: ObjectName, revision: number): Promise<Readonly<KubeObject>> {
    const { store } = this.#deps;
    const { view, name, key } = this.#find(asked);
    this.#checkReached(revision);
    if (revision < store.compactedRevision) throw tooOldResourceVersion();
    const kv = store.get(key, toRevision(revision));
    if (kv === undefined) throw notFound(view.definition, name);
    await prepareVersions(view, [kv]);
    return decodeInVersion(view, kv);
  }

  /** Forgets states before the revision: reads of them are answered with 410. Throws a 400 for one that is not there yet. */
  async compact(revision: number): Promise<CompactedStore> {
    const { store } = this.#deps;
    this.#checkReached(revision);
    await store.compact(toRevision(revision));
    return { oldestRevision: String(store.compactedRevision), revision: String(store.revision) };
  }

  #checkReached(revision: number): void {
    const { store } = this.#deps;
    if (revision > store.revision)
      throw badRequest(`revision ${revision} is not there yet, the newest is ${store.revision}`);
  }

  #find({ resource, group, namespace = "default", name }: ObjectName) {
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
    changes: changes.map(worded),
  };
}

function worded({ path, before, after }: FieldChange): ChangedField {
  return {
    path: pathText(path),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}

/** The oldest state that is kept, if there was one, and what has happened since. */
function stepsOf(store: Store, key: string): Step[] {
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

const isThere = (kv: KeyValue | undefined): kv is KeyValue => kv !== undefined;
