// Watches: a stream of frames that ends at its timeout, when the client disconnects, or when the server stops. A
// slow watcher is terminated, and can resume from the last resourceVersion that it received.
import {
  internalServerError,
  notAcceptable,
  type Status,
  StatusError,
} from "../../../apimachinery/meta/status.ts";
import { yieldIfDue } from "../../../apimachinery/scheduling/event-loop.ts";
import { prepareVersions } from "../../registry/codec/versions.ts";
import { fellBehind, type ObjectWatch } from "../../registry/read/watch.ts";
import { type ApiResponse, type BodySink, JSON_TYPE, YAML_TYPE } from "../api-request.ts";
import { STREAMS } from "../request/negotiation.ts";
import { type ClientWatch, readWatchRequest } from "../request/options.ts";
import type { RequestScope } from "../request-scope.ts";
import { headersOf } from "../response/respond.ts";
import { errorFrame, WatchFrames } from "../response/watch-frames.ts";

const BOOKMARK_INTERVAL_MS = 60_000;
/** A last bookmark is sent this long before the end, so that the client can resume from it. */
const BOOKMARK_BEFORE_END_MS = 2_000;
/** Frames are joined into writes of about this size. */
const WRITE_BYTES = 64 * 1024;
/** A smaller frame takes some microseconds to write: 10,000 watchers receive it within 0.1 s. */
const SMALL_FRAME_BYTES = 16 * 1024;

/** Why a watch ended. */
export type WatchEnd =
  /** Timeout; client disconnected or server stopped; kind changed or no longer served. */
  | { readonly type: "timeout" | "gone" | "changed" }
  /** Slow watcher. The stream ends without an error event, as in a kube-apiserver: the client resumes its watch. */
  | { readonly type: "lag" }
  | { readonly type: "error"; readonly status: Status };

export async function watchVerb(exchange: RequestScope): Promise<ApiResponse> {
  const { view, request, resources } = exchange;
  const { mediaType } = exchange.negotiated;
  const asked = { ...readWatchRequest(view, request, exchange.reading), beginAt: request.readAt };
  const frames = new WatchFrames(exchange);
  const headers = watchHeaders(exchange);
  let sink: BodySink | undefined;
  const cutOff = () => sink?.cut?.(); // a client that reads nothing would block the watch until it disconnects
  const pause = yieldIfDue(); // many watches may start at once, each with many initial events
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

/** A watch from a compacted revision gets a response whose only event is the error. */
function goneRevision(error: unknown): WatchEnd {
  if (error instanceof StatusError && error.code === 410) return { type: "error", status: error.status };
  throw error;
}

/**
 * JSON streams have the plain JSON media type; other forms have a stream parameter; YAML cannot be streamed. Throws
 * 406.
 */
function watchHeaders(exchange: RequestScope): ReturnType<typeof headersOf> {
  const { mediaType } = exchange.negotiated;
  if (mediaType === YAML_TYPE) throw notAcceptable(STREAMS);
  const headers = headersOf(exchange);
  return mediaType === JSON_TYPE ? headers : { ...headers, "content-type": `${mediaType};stream=watch` };
}

/** A started watch. */
export interface OpenWatch {
  readonly exchange: Pick<RequestScope, "view" | "resources" | "clock">;
  readonly asked: Pick<ClientWatch, "timeoutMs" | "allowWatchBookmarks" | "sendInitialEvents">;
  readonly frames: WatchFrames;
  readonly watch: ObjectWatch;
}

/** Writes events until the watch ends, and returns the reason. */
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
  let isIdle = false; // a timer may write only while the loop waits for events
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

/** A change or removal of a kind ends its watches: clients then watch the new definition. */
function whenChanged({ view, resources }: OpenWatch["exchange"], act: () => void): () => void {
  const { registry } = resources;
  const { group, resource } = view.definition;
  return registry.onChange(() => {
    if (registry.find(group, view.version.name, resource)?.version !== view.version) act();
  });
}

/** Calls `due` at each bookmark interval until the returned function is called. */
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

/**
 * A change wakes all of its watchers in one event-loop turn: writing a large frame to thousands of them takes
 * seconds.
 */
async function writeInTurn(sink: BodySink, frame: Buffer): Promise<void> {
  const pause = yieldIfDue();
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
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
    if (signal.aborted) return;
  }
  if (size > 0) await sink.write(Buffer.concat(pending, size));
}

function toStatus(error: unknown): Status {
  return (error instanceof StatusError ? error : internalServerError("the watch has failed", error)).status;
}
