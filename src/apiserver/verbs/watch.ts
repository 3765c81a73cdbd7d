// Watches: a stream of frames that ends at its timeout, when the client goes, or when the server stops. A watcher that
// reads too slowly is cut off and can come back with the last resourceVersion it saw.
import { internalServerError, notAcceptable, type Status, StatusError } from "../../meta/status.ts";
import { pauseForOthers } from "../../meta/turns.ts";
import { prepareVersions } from "../../registry/codec/versions.ts";
import { fellBehind, type ObjectWatch } from "../../registry/read/watch.ts";
import { type ApiResponse, type BodySink, JSON_TYPE, YAML_TYPE } from "../api-request.ts";
import type { Exchange } from "../exchange.ts";
import { STREAMS } from "../request/negotiation.ts";
import { type ClientWatch, readWatchRequest } from "../request/options.ts";
import { headersOf } from "../response/respond.ts";
import { errorFrame, WatchFrames } from "../response/watch-frames.ts";

const BOOKMARK_INTERVAL_MS = 60_000;
/** A last bookmark comes so long before the end, so that the client can resume from it. */
const BOOKMARK_BEFORE_END_MS = 2_000;
/** Frames are joined into writes of about this size. */
const WRITE_BYTES = 64 * 1024;
/** A smaller one takes some microseconds to write: 10,000 watchers have it within a tenth of a second. */
const SMALL_FRAME_BYTES = 16 * 1024;

/** How a watch has come to its end. */
export type WatchEnd =
  /** Its time is over; its client has gone, or the server stops; its kind is not served any more as it was. */
  | { readonly type: "timeout" | "gone" | "changed" }
  /** It was read too slowly. It ends without a word, as on a real server: the client watches again from where it was. */
  | { readonly type: "lag" }
  | { readonly type: "error"; readonly status: Status };

export async function watchVerb(exchange: Exchange): Promise<ApiResponse> {
  const { view, request, resources } = exchange;
  const { mediaType } = exchange.negotiated;
  const asked = { ...readWatchRequest(view, request, exchange.reading), beginAt: request.readAt };
  const frames = new WatchFrames(exchange);
  const headers = watchHeaders(exchange);
  let sink: BodySink | undefined;
  const cutOff = () => sink?.cut?.(); // a client that reads nothing would be waited for until it goes
  const pause = pauseForOthers(); // many may come at once, each with much to catch up on
  if (pause !== undefined) await pause;
  const watch = await resources.watchReady(view, { ...asked, cutOff }).catch(goneRevision);
  return {
    status: 200,
    headers,
    body: async (to, signal) => {
      sink = to;
      const end = "type" in watch ? watch : await sendWatch({ exchange, asked, frames, watch }, to, signal);
      if (end.type === "error") await to.write(errorFrame(end.status, mediaType));
    },
  };
}

/** A watch from a revision that is gone has an answer, and its end is all that stands in it. */
function goneRevision(error: unknown): WatchEnd {
  if (error instanceof StatusError && error.code === 410) return { type: "error", status: error.status };
  throw error;
}

/** A stream of JSON is called JSON; other forms say that they are streams, and YAML cannot be one. Throws 406. */
function watchHeaders(exchange: Exchange): ReturnType<typeof headersOf> {
  const { mediaType } = exchange.negotiated;
  if (mediaType === YAML_TYPE) throw notAcceptable(STREAMS);
  const headers = headersOf(exchange);
  return mediaType === JSON_TYPE ? headers : { ...headers, "content-type": `${mediaType};stream=watch` };
}

/** A watch that has begun. */
export interface OpenWatch {
  readonly exchange: Pick<Exchange, "view" | "resources" | "clock">;
  readonly asked: Pick<ClientWatch, "timeoutMs" | "allowWatchBookmarks" | "sendInitialEvents">;
  readonly frames: WatchFrames;
  readonly watch: ObjectWatch;
}

/** Writes what happens until the watch ends, and says how it has ended. */
export async function sendWatch(open: OpenWatch, sink: BodySink, signal: AbortSignal): Promise<WatchEnd> {
  const { exchange, asked, frames, watch } = open;
  let end: WatchEnd = { type: "gone" };
  const close = (as: WatchEnd) => {
    end = as;
    watch.close();
  };
  const gone = () => close({ type: "gone" });
  signal.addEventListener("abort", gone, { once: true });
  const stopFollowing = whenChanged(exchange, () => close({ type: "changed" }));
  const timeout = exchange.clock.after(asked.timeoutMs, () => close({ type: "timeout" }));
  let isIdle = false; // only while the loop waits for events a timer may write
  const stopBookmarks = everyBookmark(open, () => {
    if (isIdle) void sink.write(frames.bookmark(watch.revision, false));
  });
  try {
    if (signal.aborted) return end;
    await writeInitial(open, sink, signal);
    for (;;) {
      isIdle = true;
      const events = await watch.next();
      isIdle = false;
      if (events === undefined) return end;
      const only = events.length === 1 ? events[0] : undefined;
      const frame = only && frames.event(only);
      if (frame) await (frame.length > SMALL_FRAME_BYTES ? writeInTurn(sink, frame) : sink.write(frame));
      else await writeAll(sink, signal, events, (event) => frames.event(event));
    }
  } catch (error) {
    return fellBehind(error) ? { type: "lag" } : { type: "error", status: toStatus(error) };
  } finally {
    timeout.cancel();
    stopBookmarks();
    stopFollowing();
    signal.removeEventListener("abort", gone);
    watch.close();
  }
}

/** A kind that is no longer served, or has changed, ends its watches: clients begin anew with what it is now. */
function whenChanged({ view, resources }: OpenWatch["exchange"], act: () => void): () => void {
  const { registry } = resources;
  const { group, resource } = view.definition;
  return registry.onChange(() => {
    if (registry.find(group, view.version.name, resource)?.version !== view.version) act();
  });
}

/** Calls whenever a bookmark is due, until what is returned is called. */
function everyBookmark({ exchange: { clock }, asked }: OpenWatch, due: () => void): () => void {
  if (!asked.allowWatchBookmarks) return () => {};
  let interval = clock.after(BOOKMARK_INTERVAL_MS, function again() {
    due();
    interval = clock.after(BOOKMARK_INTERVAL_MS, again);
  });
  const lastMs = asked.timeoutMs - BOOKMARK_BEFORE_END_MS;
  const last = lastMs > 0 ? clock.after(lastMs, due) : undefined;
  return () => {
    interval.cancel();
    last?.cancel();
  };
}

async function writeInitial(
  { exchange, asked, frames, watch }: OpenWatch,
  sink: BodySink,
  signal: AbortSignal,
): Promise<void> {
  const { initial } = watch;
  if (initial === undefined) return;
  await prepareVersions(exchange.view, initial);
  await writeAll(sink, signal, initial, (kv) => frames.initial(kv));
  if (asked.allowWatchBookmarks && asked.sendInitialEvents)
    await sink.write(frames.bookmark(watch.revision, true));
}

/** The watchers of a change are all woken in one turn: to write a large frame to thousands of them takes seconds. */
async function writeInTurn(sink: BodySink, frame: Buffer): Promise<void> {
  const pause = pauseForOthers();
  if (pause !== undefined) await pause;
  await sink.write(frame);
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

function toStatus(error: unknown): Status {
  return (error instanceof StatusError ? error : internalServerError("the watch has failed", error)).status;
}
