// Watches: a stream of frames that ends at its timeout, when the client goes, or when the server stops. A watcher that
// reads too slowly is cut off and can come back with the last resourceVersion it saw.
import { pauseForOthers } from "../../meta/clock.ts";
import { badRequest, internalServerError, notAcceptable, StatusError } from "../../meta/status.ts";
import { prepareVersions } from "../../registry/codec/versions.ts";
import { selectedName } from "../../registry/read/selection.ts";
import { fellBehind, type ObjectWatch } from "../../registry/read/watch.ts";
import { type ApiResponse, type BodySink, JSON_TYPE, YAML_TYPE } from "../api-request.ts";
import type { Exchange } from "../exchange.ts";
import { STREAMS } from "../request/negotiation.ts";
import { type ListWatchOptions, readListOptions } from "../request/verb-options.ts";
import { headersOf } from "../response/respond.ts";
import { errorFrame, WatchFrames } from "../response/watch-frames.ts";

/** Without timeoutSeconds a watch lasts this long, as --min-request-timeout says on a real server. */
const DEFAULT_TIMEOUT_SECONDS = 1800;
const BOOKMARK_INTERVAL_MS = 60_000;
/** A last bookmark comes so long before the end, so that the client can resume from it. */
const BOOKMARK_BEFORE_END_MS = 2_000;
/** Frames are joined into writes of about this size. */
const WRITE_BYTES = 64 * 1024;

export async function watchVerb(exchange: Exchange): Promise<ApiResponse> {
  const options = narrowToName(exchange, readListOptions(exchange.view, exchange.request.query, true));
  const frames = new WatchFrames(exchange);
  const headers = watchHeaders(exchange);
  const { view, info, resources } = exchange;
  const { readAt: beginAt } = exchange.request;
  const cut = new CutOff();
  const asked = { ...options, namespace: info.namespace, beginAt };
  const request = { ...asked, mayExpire: true, cutOff: () => cut.now() };
  const pause = pauseForOthers(); // many may come at once, each with much to catch up on
  if (pause !== undefined) await pause;
  let watch: ObjectWatch;
  try {
    watch = await resources.watchReady(view, request);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 410) throw error;
    const frame = errorFrame(error.status, exchange.negotiated.mediaType);
    return { status: 200, headers, body: async (sink) => sink.write(frame) };
  }
  return {
    status: 200,
    headers,
    body: (sink, signal) => {
      cut.sink = sink;
      return new WatchStream(exchange, options, frames, watch).run(sink, signal);
    },
  };
}

/** A stream of JSON is called JSON; other forms say that they are streams, and YAML cannot be one. Throws 406. */
function watchHeaders(exchange: Exchange): ReturnType<typeof headersOf> {
  const { mediaType } = exchange.negotiated;
  if (mediaType === YAML_TYPE) throw notAcceptable(STREAMS);
  const headers = headersOf(exchange);
  return mediaType === JSON_TYPE ? headers : { ...headers, "content-type": `${mediaType};stream=watch` };
}

/** /watch/…/NAME is a watch of that one object; a field selector beside it must name the object as well. */
function narrowToName({ info }: Exchange, options: ListWatchOptions): ListWatchOptions {
  const { selection } = options;
  if (info.name === "") return options;
  if (selection.fields.length === 0) {
    const fields = [{ field: "metadata.name", operator: "=" as const, value: info.name }];
    return { ...options, selection: { ...selection, fields } };
  }
  if (selectedName(selection) === info.name) return options;
  throw badRequest("fieldSelector metadata.name doesn't match requested name");
}

/** A client that reads nothing would be waited for until it goes: who has fallen too far behind is sent away. */
class CutOff {
  sink: BodySink | undefined;

  now(): void {
    this.sink?.cut?.();
  }
}

class WatchStream {
  readonly #exchange: Exchange;
  readonly #options: ListWatchOptions;
  readonly #frames: WatchFrames;
  readonly #watch: ObjectWatch;
  /** True while the loop waits for events: only then may a timer write. */
  #idle = false;

  constructor(exchange: Exchange, options: ListWatchOptions, frames: WatchFrames, watch: ObjectWatch) {
    this.#exchange = exchange;
    this.#options = options;
    this.#frames = frames;
    this.#watch = watch;
  }

  async run(sink: BodySink, signal: AbortSignal): Promise<void> {
    const stop = () => this.#watch.close();
    const timers = this.#startTimers(sink, stop);
    const stopFollowing = this.#stopWithKind(stop);
    signal.addEventListener("abort", stop, { once: true });
    try {
      if (signal.aborted) return;
      await this.#writeInitial(sink, signal);
      await this.#writeEvents(sink, signal);
    } catch (error) {
      // Without a word, as a real server ends it: the client watches again from the last revision that it saw.
      if (fellBehind(error)) return;
      await sink.write(errorFrame(toStatus(error), this.#exchange.negotiated.mediaType));
    } finally {
      for (const timer of timers) timer.cancel();
      stopFollowing();
      signal.removeEventListener("abort", stop);
      stop();
    }
  }

  /** A kind that is no longer served, or has changed, ends its watches: clients begin anew with what it is now. */
  #stopWithKind(stop: () => void): () => void {
    const { view, info, resources } = this.#exchange;
    const { registry } = resources;
    return registry.onChange(() => {
      if (registry.find(info.group, info.version, info.resource)?.version !== view.version) stop();
    });
  }

  async #writeInitial(sink: BodySink, signal: AbortSignal): Promise<void> {
    const { initial } = this.#watch;
    if (initial === undefined) return;
    await prepareVersions(this.#exchange.view, initial);
    await writeAll(sink, signal, initial, (kv) => this.#frames.initial(kv));
    if (this.#options.allowWatchBookmarks && this.#options.sendInitialEvents) {
      await sink.write(this.#frames.bookmark(this.#watch.revision, true));
    }
  }

  async #writeEvents(sink: BodySink, signal: AbortSignal): Promise<void> {
    for (;;) {
      this.#idle = true;
      const events = await this.#watch.next();
      this.#idle = false;
      if (events === undefined) return;
      const only = events.length === 1 ? events[0] : undefined;
      if (only) await sink.write(this.#frames.event(only));
      else await writeAll(sink, signal, events, (event) => this.#frames.event(event));
    }
  }

  #startTimers(sink: BodySink, stop: () => void): { cancel(): void }[] {
    const { clock } = this.#exchange;
    const timeoutMs = (this.#options.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
    const timers = [clock.after(timeoutMs, stop)];
    if (!this.#options.allowWatchBookmarks) return timers;
    const bookmark = () => {
      if (this.#idle) void sink.write(this.#frames.bookmark(this.#watch.revision, false));
    };
    let interval = clock.after(BOOKMARK_INTERVAL_MS, function again() {
      bookmark();
      interval = clock.after(BOOKMARK_INTERVAL_MS, again);
    });
    timers.push({ cancel: () => interval.cancel() });
    if (timeoutMs > BOOKMARK_BEFORE_END_MS)
      timers.push(clock.after(timeoutMs - BOOKMARK_BEFORE_END_MS, bookmark));
    return timers;
  }
}

async function writeAll<T>(
  sink: BodySink,
  signal: AbortSignal,
  items: readonly T[],
  frame: (item: T) => Buffer,
): Promise<void> {
  let pending: Buffer[] = [];
  let size = 0;
  for (const item of items) {
    const bytes = frame(item);
    pending.push(bytes);
    size += bytes.length;
    if (size >= WRITE_BYTES) {
      await sink.write(Buffer.concat(pending, size));
      pending = [];
      size = 0;
    }
    const pause = pauseForOthers();
    if (pause !== undefined) await pause;
    if (signal.aborted) return;
  }
  if (size > 0) await sink.write(Buffer.concat(pending, size));
}

function toStatus(error: unknown): StatusError["status"] {
  return (error instanceof StatusError ? error : internalServerError("the watch has failed", error)).status;
}
