// Watches over objects: the changes of a store range as ADDED, MODIFIED and DELETED, seen through a selection.
// An object that comes to match is ADDED, one that stops matching is DELETED as it was while it matched. The events
// name stored values; how they look on the wire is not known here.
import { inSlices } from "../../meta/lists.ts";
import { type Revision, toRevision } from "../../meta/revision.ts";
import { resourceExpired, StatusError } from "../../meta/status.ts";
import {
  type KeyValue,
  type Store,
  StoreError,
  type StoreEvent,
  type StoreWatch,
} from "../../storage/store.ts";
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
import { EVERYTHING, matchesStored, type Selection, selectsEverything, watchMarks } from "./selection.ts";

/** Changes of more objects than this are gone through in slices: a state that is restored may differ in all of them. */
const SELECTED_AT_ONCE_MAX = 250;

export type ObjectEvent =
  | { readonly type: "ADDED" | "MODIFIED"; readonly kv: KeyValue }
  /** The last state that was seen; `revision` is that of the change which ended it. */
  | { readonly type: "DELETED"; readonly kv: KeyValue; readonly revision: Revision };

export interface WatchRequest {
  readonly namespace: string;
  readonly selection: Selection;
  /** "" and "0" name no revision. */
  readonly resourceVersion: string;
  /** Begin with an ADDED for each object there is (KEP-3157); undefined: if no revision is named. */
  readonly sendInitialEvents?: boolean | undefined;
  /** Begin with this past state; undefined: with the present one. */
  readonly beginAt?: number | undefined;
  /** A client's: it ends with a 410 when the past is forgotten on purpose. */
  readonly mayExpire?: boolean;
  /** Told when it is cut off because it fell too far behind, also while nobody waits for its next events. */
  readonly cutOff?: () => void;
}

export interface ObjectWatch {
  /** The present objects, if the watch begins with them; undefined when it begins at a revision. */
  readonly initial: readonly KeyValue[] | undefined;
  /** The revision up to which everything has been handed out, once what next() gave has been written. */
  readonly revision: number;
  /** Events since the last call in order; waits for one; undefined once closed. Rejects when it fell too far behind. */
  next(): Promise<readonly ObjectEvent[] | undefined>;
  close(): void;
}

/** Opens a watch. Throws a 410 when the revision is gone, 500 when it is no number. */
export function watchObjects(store: Store, view: ResourceView, request: WatchRequest): ObjectWatch {
  const first = listToBeginWith(store, request);
  return openWatch(store, view, request, first && listObjects(store, view, first));
}

/** As watchObjects; others have their turn where many objects have to be looked into first. */
export async function watchInTurns(
  store: Store,
  view: ResourceView,
  request: WatchRequest,
): Promise<ObjectWatch> {
  const first = listToBeginWith(store, request);
  return openWatch(store, view, request, first && (await listInTurns(store, view, first)));
}

/** The list of what a watch begins with; undefined when it begins at a revision. */
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
  if (first) store.figures.of(resourcePrefix(view.definition)).begunWith += first.items.length;
  return new SelectedWatch(store, view, request, toRevision(first?.revision ?? from), first?.items);
}

/** Whether this is what ended a watch that fell too far behind: then nothing that it has not seen is gone. */
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
        marks: watchMarks(view, request.selection),
        ...(request.cutOff === undefined ? {} : { dropped: request.cutOff }),
      });
    } catch (error) {
      throw error instanceof StoreError && error.code === "COMPACTED" ? tooOld(after, store) : error;
    }
  }

  get revision(): number {
    // While nothing is waiting to be handed out, all that is readable has been seen, though it may not concern us.
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

// Follows all objects of a kind in the store. Changes are handed on as the store publishes them, before the write that made
// them is answered.

export interface Following {
  /** All that there is: at first, and again when changes have been missed. */
  begin(objects: readonly KeyValue[]): void;
  take(events: readonly ObjectEvent[]): void;
}

/**
 * Begins at once, and goes on until what it returns is called or the store is closed. `onError` is told of a watch that had
 * to be opened anew, or cannot be.
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
        // It lagged behind and was cut off: what it missed is read again.
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
