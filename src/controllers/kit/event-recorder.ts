// Writes core/v1 Events for a controller. Recording never waits and never fails: what cannot be written is logged and
// dropped. Events about one object are written one after the other, those about different objects side by side. What was
// said before the start is read from the Events that there are: the same is counted on, and a start does not say it again.

import { type JsonObject, numberAt, objectAt, textAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { EventSubject, Occurrence } from "../../meta/occurrence.ts";
import { StatusError } from "../../meta/status.ts";
import { core, ignoring } from "./api.ts";
import type { Kit } from "./definition.ts";
import type { Said } from "./event-correlator.ts";
import { type Correlated, EventCorrelator } from "./event-correlator.ts";
import { errorText } from "./logging.ts";

/** The component is who speaks: source.component and reportingComponent. */
type EventRecorderOptions = Pick<Kit, "client" | "clock" | "log" | "signal"> & { readonly component: string };

const EVENTS = core("events");
const PENDING_MAX = 10_000;
const TRIES_MAX = 12;
const RETRY_MS = 10_000;

export class EventRecorder {
  readonly #options: EventRecorderOptions;
  #correlator: EventCorrelator;
  /** By the object they are about: resolves when all that waits to be written about it is. */
  readonly #lanes = new Map<string, Promise<void>>();
  /** Resolves once the correlator knows what was said before the start. */
  #recalled: Promise<void> | undefined;
  #pending = 0;
  /** How many were dropped since fewer waited. */
  #dropped = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#correlator = new EventCorrelator(options.clock);
  }

  /** With `atStart`, what was found because the controller has started: it is not said if there is an Event that says it. */
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

  /** Whoever makes far too many is told at the first, and at every tenfold of it. */
  #drop({ reason }: Occurrence): void {
    this.#dropped++;
    if (!Number.isInteger(Math.log10(this.#dropped))) return;
    const fields = { reason, dropped: this.#dropped };
    this.#options.log.warn("events dropped: too many wait to be written", fields);
  }

  /** What was said is read anew when there is something to say: the Events have been put back to what they were. */
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

  /** Events are many: they are read when there is something to say, and once. */
  async #recall(): Promise<void> {
    const { client, component } = this.#options;
    try {
      const { items } = await client.list(EVENTS, { fieldSelector: `source=${component}` });
      this.#correlator.recall(items.flatMap((event) => readSaid(event, component) ?? []));
    } catch (error) {
      this.#recalled = undefined; // whoever comes next tries again; this is said without knowing
      this.#options.log.warn("events not read", { component, error: errorText(error) });
    }
  }

  /** What the server refuses is not tried again; what did not reach it is. */
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

/** Events about cluster-scoped objects live in the namespace default. */
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
    // As client-go's, a combined event does not say who reports it.
    reportingComponent: correlated.combined ? "" : component,
    reportingInstance: "",
  };
}

/** With the members that were given, so that it is the same subject as before. */
function subjectOf({ kind, name, ...rest }: JsonObject): EventSubject {
  const given = ["namespace", "uid", "apiVersion", "fieldPath"].flatMap((key) =>
    typeof rest[key] === "string" ? [[key, rest[key]]] : [],
  );
  return { kind: String(kind), name: String(name), ...Object.fromEntries(given) };
}

/** What an Event in the store says; undefined for one of somebody else, or of another form than ours. */
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
