// Written by `npm run types` from the schemas; do not edit.
import type { EventSource, ObjectReference } from "./io.k8s.api.core.v1.d.ts";
import type { MicroTime, ObjectMeta, Time } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** A report that something happened to an object; kept for a limited time. */
export interface Event {
  /** What was done or failed. */
  action?: string;
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "events.k8s.io/v1";
  /** Count of the older form; only kept for compatibility. */
  deprecatedCount?: number;
  /** First time of the older form; only kept for compatibility. */
  deprecatedFirstTimestamp?: Time;
  /** Last time of the older form; only kept for compatibility. */
  deprecatedLastTimestamp?: Time;
  /** Source of the older form; only kept for compatibility. */
  deprecatedSource?: EventSource;
  /** When it was first seen. */
  eventTime: MicroTime;
  /** Name of the type that this object has. */
  kind: "Event";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What happened, for people. */
  note?: string;
  /** Short word that says why the action was taken. */
  reason?: string;
  /** The object that the report is about. */
  regarding?: ObjectReference;
  /** A second object that took part. */
  related?: ObjectReference;
  /** Name of the controller that reports, such as example.com/controller. */
  reportingController?: string;
  /** Instance of the controller that reports. */
  reportingInstance?: string;
  /** Present if it happened several times. */
  series?: EventSeries;
  /** Normal or Warning. */
  type?: string;
}

/** Repetitions of an event. */
export interface EventSeries {
  /** How often it happened up to the last time seen. */
  count?: number;
  /** When it was last seen. */
  lastObservedTime: MicroTime;
}
