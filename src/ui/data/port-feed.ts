// A feed over a MessagePort: the worker's end and the tab's end.
import type { Feed, FeedMessage } from "./feed.ts";
import { NOBODY_FOLLOWS, type PastAnswer } from "./past.ts";
import type { ServerFeed } from "./server-feed.ts";

/** Messages from a tab to the worker. */
type Said =
  | { readonly say: "taken" | "again" | "leave" }
  | { readonly say: "past"; readonly id: number; readonly revision: number; readonly from: number };

/** Messages from the worker to a tab. */
type Told = FeedMessage | { readonly id: number; readonly answer: PastAnswer };

/** The used part of MessagePort; tests connect two ends within one process. */
export interface Port {
  postMessage(message: unknown): void;
  addEventListener(type: "message" | "close", listener: (event: { readonly data?: unknown }) => void): void;
  start(): void;
  close(): void;
}

export function servePort(server: ServerFeed, port: Port): void {
  const tell = (told: Told): void => port.postMessage(told);
  const follower = server.connect(tell);
  port.addEventListener("message", async ({ data }) => {
    const said = data as Said;
    if (said.say === "taken") follower.taken();
    else if (said.say === "again") server.again();
    else if (said.say === "past") {
      tell({ id: said.id, answer: await follower.past(said.revision, said.from) });
    } else {
      follower.end();
      port.close();
    }
  });
  // A crashed tab sends no "leave". Some browsers fire "close" instead.
  port.addEventListener("close", () => follower.end());
  port.start();
}

/** Each follow() opens a new port, and the worker sends the complete state over it. */
export function portFeed(connect: () => Port): Feed {
  let port: Port | undefined;
  let ids = 0;
  const asked = new Map<number, (answer: PastAnswer) => void>();
  const say = (said: Said): void => port?.postMessage(said);
  return {
    follow(onMessage) {
      port = connect();
      port.addEventListener("message", ({ data }) => {
        const told = data as Told;
        if ("answer" in told) {
          asked.get(told.id)?.(told.answer);
          asked.delete(told.id);
          return;
        }
        try {
          onMessage(told);
        } finally {
          say({ say: "taken" }); // acknowledged even if a view throws, so that later messages arrive
        }
      });
      port.start();
      return () => {
        say({ say: "leave" });
        port = undefined;
        for (const answer of asked.values()) answer(NOBODY_FOLLOWS);
        asked.clear();
      };
    },
    again: () => say({ say: "again" }),
    past: (revision, from) =>
      new Promise((resolve) => {
        if (!port) return resolve(NOBODY_FOLLOWS);
        asked.set(++ids, resolve);
        say({ say: "past", id: ids, revision, from });
      }),
  };
}
