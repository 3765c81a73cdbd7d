// Watches over objects: the changes of a store range as ADDED, MODIFIED and DELETED events that pass a selection. An
// object that starts to match is ADDED. One that stops matching is DELETED, with its last matching state. Events refer to
// stored values; their encoding is the caller's.
import { inSlices } from "../../../apimachinery/meta/lists.ts";
import { type Revision, toRevision } from "../../../apimachinery/meta/revision.ts";
import { resourceExpired, StatusError } from "../../../apimachinery/meta/status.ts";
import {
  type KeyValue,
  type Store,
  StoreError,
  type StoreEvent,
  type StoreWatch,
} from "../../../storage/store.ts";
import type { ResourceView } from "../definition/resource-definition.ts";
import { resourcePrefix } from "../definition/view.ts";
import { parseResourceVersion, tooLargeResourceVersion } from "../resource-version.ts";
import {
  type ListRequest,
  type ListResult,
  listInTurns,
  listObjects,
  prepareChange,
  rangeOf,
  stateAt,
} from "./list.ts";
import { EVERYTHING, matchesStored, type Selection, selectsEverything, watchTriggers } from "./selection.ts";

/** Changes of more objects than this are evaluated with yielding: a restored state may differ in all of them. */
const SELECTED_AT_ONCE_MAX = 250;

export type ObjectEvent =
  | { readonly type: "ADDED" | "MODIFIED"; readonly kv: KeyValue }
  /** The last matching state; `revision` is that of the change which ended it. */
  | { readonly type: "DELETED"; readonly kv: KeyValue; readonly revision: Revision };

export interface WatchRequest {
  readonly namespace: string;
  readonly selection: Selection;
  /** "" and "0" name no revision. */
  readonly resourceVersion: string;
  /** Start with an ADDED event for each object (KEP-3157, WatchList); undefined: only if no revision is named. */
  readonly sendInitialEvents?: boolean | undefined;
  /** Start with this past state; undefined: with the present one. */
  readonly beginAt?: number | undefined;
  /** A client's watch: it ends with a 410 after a compaction on request. */
  readonly mayExpire?: boolean;
  /** Called when the watch is terminated as a slow watcher, also while no next() is pending. */
  readonly cutOff?: () => void;
}

export interface ObjectWatch {
  /** Present objects, if the watch starts with them; undefined when it starts at a revision. */
  readonly initial: readonly KeyValue[] | undefined;
  /** Revision up to which all events are delivered, once the events of the last next() are written. */
  readonly revision: number;
  /** Events since the last call, in order; waits for at least one. undefined once closed. Rejects for a slow watcher. */
  next(): Promise<readonly ObjectEvent[] | undefined>;
  close(): void;
}

/** Opens a watch. Throws a 410 when the revision is compacted, 500 when it is no number. */
export function watchObjects(store: Store, view: ResourceView, request: WatchRequest): ObjectWatch {
  const first = listToBeginWith(store, request);
  return openWatch(store, view, request, first && listObjects(store, view, first));
}

/** As watchObjects, with yielding where many objects have to be evaluated first. */
export async function watchInTurns(
  store: Store,
  view: ResourceView,
  request: WatchRequest,
): Promise<ObjectWatch> {
  const first = listToBeginWith(store, request);
  return openWatch(store, view, request, first && (await listInTurns(store, view, first)));
}

/** The initial list of a watch; undefined when it starts at a revision. */
function listToBeginWith(store: Store, request: WatchRequest): ListRequest | undefined {
  const version = parseResourceVersion(request.resourceVersion);
  if (!(request.sendInitialEvents ?? version === 0)) return undefined;
  if (version > store.revision) throw tooLargeResourceVersion(version, store.revision);
  return { ...request, ...stateAt(request.beginAt), limit: 0, continueToken: "" };
}

function openWatch(
  store: Store,
  view: ResourceView,
  request: WatchRequest,
  first: ListResult | undefined,
): ObjectWatch {
  const version = parseResourceVersion(request.resourceVersion);
  const from = version === 0 ? (request.beginAt ?? store.revision) : version; // 0: from now on
  if (first) store.metrics.of(resourcePrefix(view.definition)).begunWith += first.items.length;
  return new SelectedWatch(store, view, request, toRevision(first?.revision ?? from), first?.items);
}

/** Reports whether the error terminated a slow watcher. Then the watch can resume, as no missed revision is compacted. */
export function fellBehind(error: unknown): boolean {
  const cause = error instanceof StatusError ? error.cause : undefined;
  return cause instanceof StoreError && cause.code === "SLOW_CONSUMER";
}

class SelectedWatch implements ObjectWatch {
  readonly initial: readonly KeyValue[] | undefined;
  readonly #store: Store;
  readonly #view: ResourceView;
  readonly #selection: Selection;
  readonly #watch: StoreWatch;
  #revision: number;
  #waiting = false;
  #closed = false;

  constructor(
    store: Store,
    view: ResourceView,
    request: WatchRequest,
    after: Revision,
    initial: readonly KeyValue[] | undefined,
  ) {
    this.initial = initial;
    this.#store = store;
    this.#view = view;
    this.#selection = request.selection;
    this.#revision = after;
    try {
      this.#watch = store.watch(rangeOf(view, request), {
        after,
        mayExpire: request.mayExpire ?? false,
        triggers: watchTriggers(view, request.selection),
        ...(request.cutOff === undefined ? {} : { dropped: request.cutOff }),
      });
    } catch (error) {
      throw error instanceof StoreError && error.code === "COMPACTED" ? tooOld(after, store) : error;
    }
  }

  get revision(): number {
    // With no event pending, everything readable is evaluated, although it may not match the selection.
    return this.#waiting ? Math.max(this.#revision, this.#store.revision) : this.#revision;
  }

  async next(): Promise<readonly ObjectEvent[] | undefined> {
    for (;;) {
      const changes = await this.#changes();
      if (changes === undefined) return undefined;
      const events: ObjectEvent[] = [];
      for (const change of changes) {
        const conversion = prepareChange(this.#view, change.events);
        if (conversion) await conversion;
        if (change.events.length > SELECTED_AT_ONCE_MAX) {
          await inSlices(change.events, (event) => this.#select(event, events));
          if (this.#closed) return undefined;
        } else for (const event of change.events) this.#select(event, events);
      }
      this.#revision = changes.at(-1)?.revision ?? this.#revision; // not before: a pause is no end
      if (events.length > 0) return events;
    }
  }

  close(): void {
    this.#closed = true;
    this.#watch.close();
  }

  async #changes(): ReturnType<StoreWatch["next"]> {
    this.#waiting = true;
    try {
      return await this.#watch.next();
    } catch (error) {
      if (error instanceof StoreError && error.code === "COMPACTED")
        throw tooOld(this.#revision, this.#store);
      if (!(error instanceof StoreError) || error.code !== "SLOW_CONSUMER") throw error;
      throw resourceExpired(
        "the watcher was too slow and is cut off; watch again from the last resourceVersion seen",
        error,
      );
    } finally {
      this.#waiting = false;
    }
  }

  #select(event: StoreEvent, into: ObjectEvent[]): void {
    const all = selectsEverything(this.#selection);
    const matches = (kv: KeyValue): boolean => all || matchesStored(this.#view, this.#selection, kv);
    const before = event.prev !== undefined && matches(event.prev);
    if (event.type === "delete") {
      if (before) into.push({ type: "DELETED", kv: event.prev, revision: event.revision });
      return;
    }
    const now = matches(event.kv);
    if (now) into.push({ type: before ? "MODIFIED" : "ADDED", kv: event.kv });
    else if (before && event.prev)
      into.push({ type: "DELETED", kv: event.prev, revision: event.kv.modRevision });
  }
}

function tooOld(version: number, store: Store): StatusError {
  return resourceExpired(`too old resource version: ${version} (${store.compactedRevision})`);
}

// Follows all objects of a kind in the store. Changes are passed on as the store publishes them, before the response to
// the write that made them.

export interface Following {
  /** All objects: at the start, and again after changes were missed. */
  begin(objects: readonly KeyValue[]): void;
  take(events: readonly ObjectEvent[]): void;
}

/**
 * Starts at once, and runs until the returned function is called or the store is closed. `onError` receives the error of
 * a watch that is reopened or cannot be opened.
 */
export function followObjects(
  store: Store,
  view: ResourceView,
  { begin, take }: Following,
  onError: (error: unknown) => void,
): () => void {
  const open = (): ObjectWatch => {
    const all = { namespace: "", selection: EVERYTHING, resourceVersion: "", sendInitialEvents: true };
    const opened = watchObjects(store, view, all);
    begin(opened.initial ?? []);
    return opened;
  };
  let watch = open();
  let isStopped = false;
  const run = async (): Promise<void> => {
    for (;;) {
      try {
        const events = await watch.next();
        if (events === undefined) return;
        take(events);
      } catch (error) {
        // The watch lagged behind and was terminated: the objects are listed again.
        if (isStopped) return;
        onError(error);
        watch = open();
      }
    }
  };
  run().catch(onError);
  return () => {
    isStopped = true;
    watch.close();
  };
}
