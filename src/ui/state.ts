// What all views share: how it stands with the server, and the newest revision that is drawn.
import { batch, signal } from "@preact/signals";
import type { Feed, FeedMessage, Link } from "./data/feed.ts";

export const link = signal<Link>({ state: "loading", missing: [] });
export const revision = signal(0);

/** Takes in what the feed tells; calling the answer ends it. */
export function follow(feed: Feed): () => void {
  return feed((message: FeedMessage) =>
    batch(() => {
      link.value = message.link;
      revision.value = message.revision;
    }),
  );
}
