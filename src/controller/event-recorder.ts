// Writes core/v1 Events for a controller. Recording never waits and never fails: an Event that cannot be written is
// logged and dropped. Events about one object are written one after the other; those about different objects are
// written concurrently. Events from before the start are read back. The same event then increments its count, and a
// start does not record it again.

import { type JsonObject, numberAt, objectAt, textAt } from "../apimachinery/json/json.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import type { EventSubject, Occurrence } from "../apimachinery/meta/occurrence.ts";
import { StatusError } from "../apimachinery/meta/status.ts";
import { core, ignoring } from "./api.ts";
import type { Kit } from "./definition.ts";
import type { Said } from "./event-correlator.ts";
import { type Correlated, EventCorrelator } from "./event-correlator.ts";
import { errorText } from "./logging.ts";

/** The component is written as source.component and reportingComponent. */
type EventRecorderOptions = Pick<Kit, "client" | "clock" | "log" | "signal"> & { readonly component: string };

const EVENTS = core("events");
const PENDING_MAX = 10_000;
const TRIES_MAX = 12;
const RETRY_MS = 10_000;

export class EventRecorder {
  readonly #options: EventRecorderOptions;
  #correlator: EventCorrelator;
  /** By involved object: resolves when all its pending Events are written. */
  readonly #lanes = new Map<string, Promise<void>>();
  /** Resolves once the correlator has read the stored Events. */
  #recalled: Promise<void> | undefined;
  #pending = 0;
  /** How many Events were dropped since the last time none was pending. */
  #dropped = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#correlator = new EventCorrelator(options.clock);
  }

  /**
   * `atStart` marks an occurrence that the start of the controller found: a stored Event that reports it is not
   * repeated.
   */
  record(occurrence: Occurrence, { atStart = false }: { readonly atStart?: boolean } = {}): void {
    if (this.#options.signal.aborted) return;
    if (this.#pending >= PENDING_MAX) {
      this.#drop(occurrence);
      return;
    }
    this.#pending++;
    const { kind, namespace = "", name } = occurrence.subject;
    const lane = `${kind}/${namespace}/${name}`;
    const told = (this.#lanes.get(lane) ?? Promise.resolve()).then(() => this.#tell(occurrence, atStart));
    this.#lanes.set(lane, told);
    void told.then(() => {
      if (this.#lanes.get(lane) === told) this.#lanes.delete(lane);
      this.#pending--;
      if (this.#pending === 0) this.#dropped = 0;
    });
  }

  /** Logs the first dropped Event and each power of ten after it. */
  #drop({ reason }: Occurrence): void {
    this.#dropped++;
    if (!Number.isInteger(Math.log10(this.#dropped))) return;
    const fields = { reason, dropped: this.#dropped };
    this.#options.log.warn("events dropped: too many wait to be written", fields);
  }

  /**
   * Discards the correlator: the stored Events were replaced, for example by a restore. The next occurrence reads them
   * again.
   */
  forget(): void {
    this.#correlator = new EventCorrelator(this.#options.clock);
    this.#recalled = undefined;
  }

  async flushed(): Promise<void> {
    while (this.#lanes.size > 0) await Promise.all(this.#lanes.values());
  }

  async #tell(occurrence: Occurrence, atStart: boolean): Promise<void> {
    try {
      this.#recalled ??= this.#recall();
      await this.#recalled;
      const isSaid = atStart && this.#correlator.hasSaid(occurrence);
      const correlated = isSaid ? undefined : this.#correlator.correlate(occurrence);
      if (correlated) await this.#write(correlated);
    } catch (error) {
      this.#logFailure(occurrence, error);
    }
  }

  /** Events are many, so they are read once, and only when the first occurrence is recorded. */
  async #recall(): Promise<void> {
    const { client, component } = this.#options;
    try {
      const { items } = await client.list(EVENTS, { fieldSelector: `source=${component}` });
      this.#correlator.recall(items.flatMap((event) => readSaid(event, component) ?? []));
    } catch (error) {
      this.#recalled = undefined; // the next occurrence retries; this one is written without correlation to stored Events
      this.#options.log.warn("events not read", { component, error: errorText(error) });
    }
  }

  /** An Event that the server rejects is not retried; one that did not reach it is. */
  async #write(correlated: Correlated): Promise<void> {
    const { clock, signal } = this.#options;
    for (let tries = 1; ; tries++) {
      try {
        return this.#noteWritten(correlated, await this.#send(correlated));
      } catch (error) {
        if (error instanceof StatusError || tries >= TRIES_MAX) throw error;
        await clock.sleep(RETRY_MS, signal);
      }
    }
  }

  async #send(correlated: Correlated): Promise<KubeObject> {
    const { client, component } = this.#options;
    const { occurrence, name, count, lastTimestamp } = correlated;
    if (count > 1) {
      const key = { namespace: namespaceOf(occurrence), name };
      const body = { count, lastTimestamp, message: occurrence.message };
      const counted = await ignoring([404], client.patch(EVENTS, key, { type: "strategic", body }));
      if (counted) return counted;
    }
    return client.create(EVENTS, eventObject(correlated, component));
  }

  #noteWritten(correlated: Correlated, written: KubeObject): void {
    const name = written.metadata.name ?? correlated.name;
    const count = numberAt(written, "count") ?? correlated.count;
    const firstTimestamp = textAt(written, "firstTimestamp") || correlated.firstTimestamp;
    this.#correlator.written(correlated.key, { name, count, firstTimestamp });
  }

  #logFailure({ reason, subject }: Occurrence, error: unknown): void {
    if (this.#options.signal.aborted) return;
    const fields = { reason, kind: subject.kind, name: subject.name, error: errorText(error) };
    this.#options.log.warn("event not written", fields);
  }
}

/** Events about cluster-scoped objects are stored in the namespace default. */
const namespaceOf = ({ subject }: Occurrence): string => subject.namespace || "default";

function eventObject(correlated: Correlated, component: string): KubeObject {
  const { occurrence, name, count, firstTimestamp, lastTimestamp } = correlated;
  const { subject, type, reason, message } = occurrence;
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace: namespaceOf(occurrence) },
    involvedObject: { ...subject },
    reason,
    message,
    source: { component },
    firstTimestamp,
    lastTimestamp,
    count,
    type,
    eventTime: null,
    // As in client-go, a combined Event has no reportingComponent.
    reportingComponent: correlated.combined ? "" : component,
    reportingInstance: "",
  };
}

/** Keeps only the fields that were set, so that the correlation key is the same as before. */
function subjectOf({ kind, name, ...rest }: JsonObject): EventSubject {
  const given = ["namespace", "uid", "apiVersion", "fieldPath"].flatMap((key) =>
    typeof rest[key] === "string" ? [[key, rest[key]]] : [],
  );
  return { kind: String(kind), name: String(name), ...Object.fromEntries(given) };
}

/**
 * The content of a stored Event. undefined: it is of another component, or of a form that this recorder does not write.
 */
function readSaid(event: KubeObject, component: string): Said | undefined {
  const about = objectAt(event, "involvedObject");
  const type = textAt(event, "type");
  if (textAt(objectAt(event, "source"), "component") !== component || !about) return undefined;
  if (type !== "Normal" && type !== "Warning") return undefined;
  const [reason, message] = [textAt(event, "reason"), textAt(event, "message")];
  return {
    occurrence: { subject: subjectOf(about), type, reason, message },
    name: event.metadata.name ?? "",
    count: numberAt(event, "count") ?? 1,
    firstTimestamp: textAt(event, "firstTimestamp"),
    lastTimestamp: textAt(event, "lastTimestamp"),
  };
}
