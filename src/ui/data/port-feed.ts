// A feed over a port: what stands in the worker, and what stands in the tab.
import type { Feed, FeedMessage } from "./feed.ts";
import type { ServerFeed } from "./server-feed.ts";

/** What a tab says. */
type Said = "taken" | "again" | "leave";

/** Of a MessagePort what is used of it, so that two ends in one process will do. */
export interface Port {
  postMessage(message: unknown): void;
  addEventListener(type: "message" | "close", listener: (event: { readonly data?: unknown }) => void): void;
  start(): void;
  close(): void;
}

export function servePort(server: ServerFeed, port: Port): void {
  const follower = server.connect((message) => port.postMessage(message));
  const acts: Readonly<Record<Said, () => void>> = {
    taken: () => follower.taken(),
    again: () => server.again(),
    leave: () => {
      follower.end();
      port.close();
    },
  };
  port.addEventListener("message", ({ data }) => acts[data as Said]());
  // A tab that crashes does not say that it leaves; not every browser tells it.
  port.addEventListener("close", () => follower.end());
  port.start();
}

/** One port for each time it is followed: a worker tells a new one all there is. */
export function portFeed(connect: () => Port): Feed {
  let port: Port | undefined;
  const say = (said: Said): void => port?.postMessage(said);
  return {
    follow(onMessage) {
      port = connect();
      port.addEventListener("message", ({ data }) => {
        onMessage(data as FeedMessage);
        say("taken");
      });
      port.start();
      return () => {
        say("leave");
        port = undefined;
      };
    },
    again: () => say("again"),
  };
}
