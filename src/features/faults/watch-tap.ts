// A tap between a watch and its client. Without faults it forwards every write unchanged; after a fault strikes, it
// processes the events one by one.

import { resourceExpired } from "../../apimachinery/meta/status.ts";
import type { BodySink, Connection, OpenedWatch } from "../../apiserver/endpoints/api-request.ts";
import { PROTOBUF_TYPE } from "../../apiserver/endpoints/protobuf/codec.ts";
import type { MediaType } from "../../apiserver/endpoints/request/negotiation.ts";
import { errorFrame } from "../../apiserver/endpoints/response/watch-frames.ts";
import { aborted, breakConnection, sleep, throttleSink } from "./answer-body.ts";
import type { Action, ActionName, Fault } from "./fault.ts";
import type { LiveFault } from "./live-fault.ts";
import { type Target, targetOf } from "./match.ts";
import { type FaultDeps, sampleMilliseconds } from "./request-chain.ts";

/** Limit of delayed writes. Above it the watch blocks, and becomes an ordinary slow watcher. */
const LATE_WRITES_MAX = 1000;

export class WatchTap implements BodySink {
  readonly #watch: OpenedWatch;
  readonly #sink: BodySink;
  /** Aborts when the client disconnects or the server stops. */
  readonly #gone: AbortSignal;
  readonly #deps: FaultDeps;
  readonly #stop = new AbortController();
  #cause = "";
  #frames: Frames | undefined;
  #target: Target | undefined;
  /** Resolves when all writes since the first fault have been sent. */
  #tail: Promise<void> | undefined;
  #onTheirWay = 0;
  #over = false;
  #connection: Connection | undefined;

  /** The faults of this watch by action; the last one of an action is effective. */
  #struck: Map<ActionName, LiveFault> | undefined;
  /** The number of events before the watch ends. */
  #eventsLeft = 0;

  constructor(watch: OpenedWatch, sink: BodySink, gone: AbortSignal, deps: FaultDeps) {
    this.#watch = watch;
    this.#sink = sink;
    this.#gone = gone;
    this.#deps = deps;
  }

  get target(): Target {
    this.#target ??= targetOf(this.#watch.request);
    return this.#target;
  }

  get cause(): string {
    return this.#cause;
  }

  /** Runs the watch until its end. */
  async run(): Promise<void> {
    const stop = () => this.#stop.abort(this.#gone.reason);
    if (this.#gone.aborted) stop();
    else this.#gone.addEventListener("abort", stop, { once: true });
    try {
      if (this.#tail) await this.#tail; // a fault may have ended the watch before it starts
      await this.#watch.body(this, this.#stop.signal);
      if (this.#tail) await this.#tail;
    } finally {
      this.#gone.removeEventListener("abort", stop);
    }
  }

  cut(): void {
    this.#sink.cut?.();
  }

  strike(live: LiveFault): void {
    this.#cause = this.#cause === "" ? live.id : `${this.#cause},${live.id}`;
    this.#frames ??= new Frames(String(this.#watch.response.headers["content-type"]));
    this.#struck ??= new Map();
    this.#struck.set(live.action, live);
    const { watchEnd } = live.fault;
    if (watchEnd === undefined) return;
    this.#eventsLeft = watchEnd.afterEvents ?? 0;
    if (this.#eventsLeft === 0 && watchEnd.how !== "cut") void this.#afterwards(() => this.#finish(watchEnd));
  }

  write(chunk: Uint8Array): Promise<void> | undefined {
    if (this.#frames === undefined) return this.#sink.write(chunk);
    if (this.#over) return undefined;
    const { clock, random } = this.#deps;
    const late = this.#effect("lateEvents");
    const due = late ? clock.now() + sampleMilliseconds(late.milliseconds, random) : 0;
    this.#onTheirWay++;
    const sent = this.#afterwards(() => this.#send(chunk, due)).finally(() => this.#onTheirWay--);
    return due > 0 && this.#onTheirWay < LATE_WRITES_MAX ? undefined : sent;
  }

  /** The parameters of an action, unless its fault has been removed. */
  #effect<A extends ActionName>(action: A): Fault[A] | undefined {
    const live = this.#struck?.get(action);
    return live === undefined || live.removed ? undefined : live.fault[action];
  }

  get #out(): BodySink {
    const slow = this.#effect("slow");
    return slow ? throttleSink(this.#sink, slow.bytesPerSecond, this.#deps.clock, this.#gone) : this.#sink;
  }

  /** Serializes actions. */
  #afterwards(act: () => Promise<void>): Promise<void> {
    this.#tail = (this.#tail ?? Promise.resolve()).then(act);
    return this.#tail;
  }

  async #send(chunk: Uint8Array, due: number): Promise<void> {
    const { clock } = this.#deps;
    if (due > 0) await sleep(clock, due - clock.now(), this.#gone);
    for (const frame of this.#frames?.split(chunk) ?? []) {
      if (this.#over || this.#gone.aborted) return;
      const kind = this.#frames?.kindOf(frame) ?? "event";
      if (kind === "event") await this.#sendEvent(frame);
      else if (!this.#isWithheld(kind)) await this.#out.write(frame);
    }
  }

  #isWithheld(kind: FrameKind): boolean {
    const { withhold } = this.#effect("bookmarks") ?? {};
    if (kind === "error" || withhold === undefined) return false;
    return withhold === "all" || (withhold === "periodic") === (kind === "bookmark");
  }

  async #sendEvent(frame: Buffer): Promise<void> {
    const end = this.#effect("watchEnd");
    if (end?.how === "cut" && this.#eventsLeft === 0) {
      await this.#out.write(frame.subarray(0, frame.length >> 1));
      return this.#finish(end);
    }
    await this.#out.write(frame);
    if (this.#comesTwice()) await this.#out.write(frame);
    if (end === undefined) return;
    this.#eventsLeft--;
    if (this.#eventsLeft === 0 && end.how !== "cut") await this.#finish(end);
  }

  #comesTwice(): boolean {
    const twice = this.#effect("duplicateEvents");
    if (twice === undefined) return false;
    const { share = 1 } = twice;
    return share >= 1 || this.#deps.random() < share;
  }

  async #finish({ how, message }: Action<"watchEnd">): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    if (how === "expired") await this.#out.write(this.#expired(message));
    this.#stop.abort();
    if (how === "expired" || how === "end") return;
    // The watch must not end regularly, so it waits until the connection is gone.
    this.#connection ??= this.#watch.connection();
    void breakConnection(how === "cut" ? "close" : how, this.#connection);
    this.#tail = aborted(this.#gone);
  }

  #expired(message: string | undefined): Buffer {
    const asked = this.#watch.request.query.get("resourceVersion") || "0";
    const usual = `too old resource version: ${asked} (${this.#deps.store.revision})`;
    const mediaType = this.#frames?.mediaType ?? "application/json";
    return errorFrame(resourceExpired(message ?? usual).status, mediaType);
  }
}

const LINE_END = 0x0a;
const LENGTH_BYTES = 4;
const JSON_TYPE_AT = 9;
const QUOTE = 0x22;
const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

export type FrameKind = "event" | "bookmark" | "initialEventsEnd" | "error";

/**
 * Splits the events of a watch on the wire: lines of JSON, or length-prefixed protobuf messages. One write of a watch
 * always consists of complete events.
 */
export class Frames {
  readonly mediaType: MediaType;

  /** The encoding follows from the Content-Type of the response. */
  constructor(contentType: string) {
    this.mediaType = contentType.startsWith(PROTOBUF_TYPE) ? PROTOBUF_TYPE : "application/json";
  }

  *split(chunk: Uint8Array): Generator<Buffer> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    const protobuf = this.mediaType === PROTOBUF_TYPE;
    for (let at = 0; at < bytes.length; ) {
      const lineEnd = protobuf ? -1 : bytes.indexOf(LINE_END, at);
      const end = protobuf ? at + LENGTH_BYTES + bytes.readUInt32BE(at) : lineEnd + 1 || bytes.length;
      yield bytes.subarray(at, end);
      at = end;
    }
  }

  kindOf(frame: Buffer): FrameKind {
    const type = this.mediaType === PROTOBUF_TYPE ? protobufType(frame) : jsonType(frame);
    if (type === "ERROR") return "error";
    if (type !== "BOOKMARK") return "event";
    return frame.includes(INITIAL_EVENTS_END) ? "initialEventsEnd" : "bookmark";
  }
}

function jsonType(frame: Buffer): string {
  return frame.toString("latin1", JSON_TYPE_AT, frame.indexOf(QUOTE, JSON_TYPE_AT));
}

/** Field 1 of the message: a tag, a length below 128, the text. */
function protobufType(frame: Buffer): string {
  const length = frame[LENGTH_BYTES + 1] ?? 0;
  return frame.toString("latin1", LENGTH_BYTES + 2, LENGTH_BYTES + 2 + length);
}
