// Lists. Each legal combination of resourceVersion, resourceVersionMatch, limit and continue token maps to a state of the
// store and a start key. The state is the present one or an exact revision.
import { toRevision } from "../../../apimachinery/meta/revision.ts";
import { badRequest, resourceExpired, type StatusError } from "../../../apimachinery/meta/status.ts";
import { type Coroutine, runSync, runYielding } from "../../../apimachinery/scheduling/coroutine.ts";
import { yieldIfDue } from "../../../apimachinery/scheduling/event-loop.ts";
import {
  type KeyRange,
  type KeyValue,
  type KeyValueReader,
  type ListPage,
  StoreError,
  type StoreMeasurements,
} from "../../../storage/store.ts";
import { prepareVersions } from "../codec/versions.ts";
import type { ResourceView } from "../definition/resource-definition.ts";
import { collectionRange, objectKey, resourcePrefix, singleKeyRange } from "../definition/view.ts";
import {
  ANY_REVISION,
  decodeContinue,
  encodeContinue,
  parseResourceVersion,
  tooLargeResourceVersion,
} from "../resource-version.ts";
import { EVERYTHING, matchesStored, type Selection, selectedName, selectsEverything } from "./selection.ts";

/** What a list needs of the store. */
type ListStore = KeyValueReader & StoreMeasurements;

export type ResourceVersionMatch = "" | "Exact" | "NotOlderThan";

export interface ListRequest {
  readonly namespace: string;
  readonly selection: Selection;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: ResourceVersionMatch;
  /** 0: no limit. */
  readonly limit: number;
  /** "": from the start. */
  readonly continueToken: string;
}

/** Everything of the present state. */
export const PRESENT = {
  resourceVersion: "",
  resourceVersionMatch: "",
  limit: 0,
  continueToken: "",
} as const;

export interface ListResult {
  readonly items: readonly KeyValue[];
  readonly revision: number;
  /** "" on the last page. */
  readonly continueToken: string;
  /** Only set for lists without selectors. */
  readonly remaining: number | undefined;
}

/** Cost of a list: keys read, and objects that the selection evaluated. */
interface ListCost {
  fetched: number;
  evaluated: number;
}

const TOO_OLD_LIST = "The resourceVersion for the provided list is too old.";
const TOO_OLD_TOKEN =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

/** Keys per read while a selection is applied to a limited list. */
const SELECT_PAGE_KEYS = 500;
/** The list yields to the event loop after so many evaluated objects. */
const LOOKED_INTO_AT_ONCE = 50;

export const listObjects = (store: ListStore, view: ResourceView, given: ListRequest): ListResult =>
  runSync(listSteps(store, view, given));

/** As listObjects, with yielding where the selection evaluates many objects. */
export const listInTurns = (
  store: ListStore,
  view: ResourceView,
  given: ListRequest,
  cost?: ListCost,
): Promise<ListResult> => runYielding(listSteps(store, view, given, cost), yieldIfDue);

/** The store may change between two steps; all pages are of one revision nevertheless. */
function* listSteps(
  store: ListStore,
  view: ResourceView,
  given: ListRequest,
  cost: ListCost = { fetched: 0, evaluated: 0 },
): Coroutine<ListResult> {
  // A list of one named object has no chunks: its token is ignored, and a limit requires no exact revision.
  const request = namesOneObject(view, given) ? { ...given, limit: 0, continueToken: "" } : given;
  const whole = rangeOf(view, request);
  const start = placeToStart(store, view, request, whole);
  const limit = request.resourceVersion === "0" ? 0 : request.limit;
  const read: ReadPage = (from, count, revision = start.at) => {
    try {
      const at = revision === undefined ? {} : { at: toRevision(revision) };
      const found = store.list({ from, to: whole.to }, count > 0 ? { ...at, limit: count } : at);
      cost.fetched += found.items.length;
      return found;
    } catch (error) {
      throw explainUnreadable(error, store, request, start);
    }
  };
  const page = selectsEverything(request.selection)
    ? read(start.from, limit)
    : yield* readSelected(view, request.selection, start.from, limit, read, cost);
  if (selectsEverything(request.selection)) cost.evaluated = cost.fetched;
  const last = page.items.at(-1);
  const more = limit > 0 && page.remaining > 0 && last !== undefined;
  const next = more ? `${last.key.slice(prefixOf(view, request.namespace).length)}\0` : "";
  return {
    items: page.items,
    revision: page.revision,
    continueToken: more ? encodeContinue({ revision: page.revision, start: next }) : "",
    remaining: more && selectsEverything(request.selection) ? page.remaining : undefined,
  };
}

function prefixOf(view: ResourceView, namespace: string): string {
  return namespace === "" ? resourcePrefix(view.definition) : objectKey(view.definition, namespace, "");
}

interface Asked {
  readonly namespace: string;
  readonly selection: Selection;
}

function namesOneObject({ definition }: ResourceView, { namespace, selection }: Asked): boolean {
  return (selectedName(selection) ?? "") !== "" && (namespace !== "" || !definition.namespaceScoped);
}

/** Range of one key when the selection names one object, else the collection. */
export function rangeOf(view: ResourceView, { namespace, selection }: Asked): KeyRange {
  const name = selectedName(selection) ?? "";
  const single = namesOneObject(view, { namespace, selection });
  return single
    ? singleKeyRange(objectKey(view.definition, namespace, name))
    : collectionRange(view.definition, namespace);
}

interface Start {
  readonly from: string;
  /** undefined: the present state. */
  readonly at: number | undefined;
}

function placeToStart(store: ListStore, view: ResourceView, request: ListRequest, whole: KeyRange): Start {
  const version = parseResourceVersion(request.resourceVersion);
  if (request.continueToken !== "") {
    const token = decodeContinue(request.continueToken);
    if (version > 0) throw badRequest("specifying resource version is not allowed when using continue");
    const from = prefixOf(view, request.namespace) + token.start;
    return {
      from: laterKey(from, whole.from),
      at: token.revision === ANY_REVISION ? undefined : token.revision,
    };
  }
  const exact =
    request.resourceVersionMatch === "Exact" || (request.resourceVersionMatch === "" && request.limit > 0);
  if (version > store.revision) throw tooLargeResourceVersion(version, store.revision);
  return { from: whole.from, at: version > 0 && exact ? version : undefined };
}

/** Revision at which a list must read to show exactly that state; undefined: the present one. */
export function stateAt(
  revision: number | undefined,
): Pick<ListRequest, "resourceVersion" | "resourceVersionMatch"> {
  return revision === undefined
    ? { resourceVersion: "", resourceVersionMatch: "" }
    : { resourceVersion: String(revision), resourceVersionMatch: "Exact" };
}

function laterKey(a: string, b: string): string {
  if (a < b) return b;
  return a;
}

/** Reads a page of so many keys, or all for 0; of the present state when no revision is named. */
type ReadPage = (from: string, count: number, revision?: number) => ListPage;

/** Reads on until the limit is filled with matching objects; `remaining` is set where keys are left unread. */
function* readSelected(
  view: ResourceView,
  selection: Selection,
  from: string,
  limit: number,
  read: ReadPage,
  cost: ListCost,
): Coroutine<ListPage> {
  const items: KeyValue[] = [];
  let page = read(from, limit > 0 ? SELECT_PAGE_KEYS : 0);
  const { revision } = page;
  for (;;) {
    let index = -1;
    for (const kv of page.items) {
      index++;
      if (index % LOOKED_INTO_AT_ONCE === LOOKED_INTO_AT_ONCE - 1) yield;
      cost.evaluated++;
      if (!matchesStored(view, selection, kv)) continue;
      items.push(kv);
      const unread = page.items.length - index - 1 + page.remaining;
      if (limit > 0 && items.length === limit) return { items, revision, remaining: unread };
    }
    const last = page.items.at(-1);
    if (page.remaining === 0 || last === undefined) return { items, revision, remaining: 0 };
    page = read(`${last.key}\0`, SELECT_PAGE_KEYS, revision);
  }
}

function explainUnreadable(error: unknown, store: ListStore, request: ListRequest, start: Start): unknown {
  if (!(error instanceof StoreError)) return error;
  if (error.code === "FUTURE_REVISION") return tooLargeResourceVersion(start.at ?? 0, store.revision);
  if (error.code !== "COMPACTED") return error;
  if (request.continueToken === "") return resourceExpired(TOO_OLD_LIST);
  return expiredContinue(request.continueToken);
}

/** 410 for a token whose revision is compacted, with a token that resumes at the present state. Throws 400. */
export function expiredContinue(token: string): StatusError {
  const expired = resourceExpired(TOO_OLD_TOKEN);
  const { start } = decodeContinue(token);
  expired.status.metadata = { continue: encodeContinue({ revision: ANY_REVISION, start }) };
  return expired;
}

export async function listReady(
  store: ListStore,
  view: ResourceView,
  request: ListRequest,
): Promise<ListResult> {
  await prepareSelection(store, view, request);
  const cost: ListCost = { fetched: 0, evaluated: 0 };
  const list = await listInTurns(store, view, request, cost);
  store.metrics.of(resourcePrefix(view.definition)).listed(cost, list.items.length);
  await prepareVersions(view, list.items);
  return list;
}

/** Converts all objects that a selection evaluates. */
export async function prepareSelection(
  store: ListStore,
  view: ResourceView,
  request: ListRequest,
): Promise<void> {
  if (view.definition.converter === undefined || selectsEverything(request.selection)) return;
  const limit = request.limit > 0 ? Number.MAX_SAFE_INTEGER : 0; // a limit of any size means that exact revision
  const { items } = listObjects(store, view, { ...request, limit, selection: EVERYTHING });
  await prepareVersions(view, items);
}

/** Converts the objects of a change before a selection evaluates them. */
export function prepareChange(
  view: ResourceView,
  events: readonly { readonly kv?: KeyValue | undefined; readonly prev?: KeyValue | undefined }[],
): Promise<void> | undefined {
  if (view.definition.converter === undefined) return undefined;
  const kvs = events.flatMap(({ kv, prev }) => [kv, prev]);
  return prepareVersions(
    view,
    kvs.filter((kv) => kv !== undefined),
  );
}
