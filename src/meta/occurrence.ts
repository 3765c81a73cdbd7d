// Something that is said of an object, before it is an Event.
export type EventType = "Normal" | "Warning";

/** What an event is about; namespace "" for cluster-scoped objects. */
export interface EventSubject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly apiVersion?: string;
  /** A part of it: "spec.containers{web}". */
  readonly fieldPath?: string;
}

/** What is said, whoever it is about. */
export interface Remark {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

/** One thing that a controller has to say. */
export interface Occurrence extends Remark {
  readonly subject: EventSubject;
}
