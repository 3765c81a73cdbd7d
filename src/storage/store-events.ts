// Small questions about events and changes that several parts of the store ask.
import type { Revision } from "../meta/revision.ts";
import type { KeyRange, StoreChange, StoreEvent } from "./store.ts";

/** The key that was written or deleted. */
export function eventKey(event: StoreEvent): string {
  return event.type === "put" ? event.kv.key : event.key;
}

/** The revision of the change. */
export function eventRevision(event: StoreEvent): Revision {
  return event.type === "put" ? event.kv.modRevision : event.revision;
}

function rangeHolds(range: KeyRange, key: string): boolean {
  return key >= range.from && key < range.to;
}

/** The part of a change that lies in the range: the same object if all of it does, undefined if nothing does. */
export function changeWithin(change: StoreChange, range: KeyRange): StoreChange | undefined {
  const events = change.events.filter((event) => rangeHolds(range, eventKey(event)));
  if (events.length === 0) return undefined;
  return events.length === change.events.length ? change : { revision: change.revision, events };
}
