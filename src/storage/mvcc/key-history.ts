// The history of one key after the compacted revision. Most keys were only created: the created value itself represents
// that event, so the history of an unchanged object takes no memory of its own.
//
//   put a@5                      →  a@5
//   put a@5, put a@7, delete@8   →  KeyEvents [put a@5, put a@7 (prev a@5), delete@8 (prev a@7)]
import { leading } from "../../apimachinery/meta/lists.ts";
import type { Revision } from "../../apimachinery/meta/revision.ts";
import { eventKey, eventRevision, type KeyValue, type StoreEvent } from "../store.ts";

/** V8 reserves capacity for so many more items when one is pushed to a list. */
const ROOM = 16;

/** Has at least one event. */
export class KeyEvents {
  readonly key: string;
  #events: StoreEvent[];

  constructor(key: string, events: StoreEvent[]) {
    this.key = key;
    this.#events = events;
  }

  get events(): readonly StoreEvent[] {
    return this.#events;
  }

  /** Most keys have few events: their lists are copied without spare capacity. */
  add(event: StoreEvent): void {
    if (this.#events.length < ROOM) this.#events = this.#events.concat(event);
    else this.#events.push(event);
  }

  forget(count: number): void {
    this.#events.splice(0, count);
  }
}

/** A value represents its creation: a put with no previous value. */
export type KeyHistory = KeyValue | KeyEvents;

/** Adds an event. A list of events is modified in place. */
export function historyWith(before: KeyHistory | undefined, event: StoreEvent): KeyHistory {
  if (before instanceof KeyEvents) {
    before.add(event);
    return before;
  }
  if (before !== undefined) return new KeyEvents(before.key, [creationOf(before), event]);
  if (event.type === "put" && event.prev === undefined) return event.kv;
  return new KeyEvents(eventKey(event), [event]);
}

const creationOf = (kv: KeyValue): StoreEvent => ({ type: "put", kv, prev: undefined });

/** A copy that historyWith() may modify while readers use the original. */
export const copyOf = (history: KeyHistory | undefined): KeyHistory | undefined =>
  history instanceof KeyEvents ? new KeyEvents(history.key, [...history.events]) : history;

/** Oldest first. */
export function eventsOf(history: KeyHistory | undefined): readonly StoreEvent[] {
  if (history === undefined) return [];
  return history instanceof KeyEvents ? history.events : [creationOf(history)];
}

/** The state of the key at a revision. */
export function versionAt(history: KeyHistory, at: Revision): KeyValue | undefined {
  if (!(history instanceof KeyEvents)) return history.modRevision <= at ? history : undefined;
  const { events } = history;
  const event = events[leading(events, (event) => eventRevision(event) <= at) - 1];
  if (event === undefined) return events[0]?.prev;
  return event.type === "put" ? event.kv : undefined;
}

/** Removes the events up to a revision; false when none is left. */
export function forgetEvents(history: KeyHistory, upTo: Revision): boolean {
  if (!(history instanceof KeyEvents)) return history.modRevision > upTo;
  const kept = history.events.findIndex((event) => eventRevision(event) > upTo);
  if (kept !== -1) history.forget(kept);
  return kept !== -1;
}
