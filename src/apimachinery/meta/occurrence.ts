// Content of an Event, before it is recorded.
export type EventType = "Normal" | "Warning";

/** The object of an event; namespace "" for cluster-scoped objects. */
export interface EventSubject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly apiVersion?: string;
  /** A part of it: "spec.containers{web}". */
  readonly fieldPath?: string;
}

/** Type, reason and message of an event, independent of its object. */
export interface Remark {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

/** An event that a controller records. */
export interface Occurrence extends Remark {
  readonly subject: EventSubject;
}
