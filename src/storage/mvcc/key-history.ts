// What happened to one key after the compacted revision. Most keys were created and nothing else: the value that was created
// stands for that itself, so that the history of an object at rest takes no memory of its own.
//
//   put a@5                      →  a@5
//   put a@5, put a@7, delete@8   →  KeyEvents [put a@5, put a@7 (prev a@5), delete@8 (prev a@7)]
import { leading } from "../../meta/lists.ts";
import type { Revision } from "../../meta/revision.ts";
import { eventKey, eventRevision, type KeyValue, type StoreEvent } from "../store.ts";

/** V8 makes room for so many more when an item is added to a list. */
const ROOM = 16;

/** Never without an event. */
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

  /** Most keys have few events: those take no room for more. */
  add(event: StoreEvent): void {
    if (this.#events.length < ROOM) this.#events = this.#events.concat(event);
    else this.#events.push(event);
  }

  forget(count: number): void {
    this.#events.splice(0, count);
  }
}

/** A value stands for its creation: the one event that put it where nothing was. */
export type KeyHistory = KeyValue | KeyEvents;

/** With one event more. What is there already is taken over and changed. */
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

/** One that historyWith() may change while the other is read. */
export const copyOf = (history: KeyHistory | undefined): KeyHistory | undefined =>
  history instanceof KeyEvents ? new KeyEvents(history.key, [...history.events]) : history;

/** Oldest first. */
export function eventsOf(history: KeyHistory | undefined): readonly StoreEvent[] {
  if (history === undefined) return [];
  return history instanceof KeyEvents ? history.events : [creationOf(history)];
}

/** What the key was at a revision. */
export function versionAt(history: KeyHistory, at: Revision): KeyValue | undefined {
  if (!(history instanceof KeyEvents)) return history.modRevision <= at ? history : undefined;
  const { events } = history;
  const event = events[leading(events, (event) => eventRevision(event) <= at) - 1];
  if (event === undefined) return events[0]?.prev;
  return event.type === "put" ? event.kv : undefined;
}

/** Forgets the events up to a revision; false when none is left. */
export function forgetEvents(history: KeyHistory, upTo: Revision): boolean {
  if (!(history instanceof KeyEvents)) return history.modRevision > upTo;
  const kept = history.events.findIndex((event) => eventRevision(event) > upTo);
  if (kept !== -1) history.forget(kept);
  return kept !== -1;
}
