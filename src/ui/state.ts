// What all views share: the model, what was touched of it last, and how it stands with the server.
import { batch, signal } from "@preact/signals";
import type { Feed, FeedMessage, Link } from "./data/feed.ts";
import { Model, type Touched } from "./data/model.ts";

export const link = signal<Link>({ state: "loading", missing: [] });
export const revision = signal(0);
/** It changes in place; who shows some of it reads `touched` too, which is set anew with every change. */
export const model = new Model();
export const touched = signal<Touched>(model.apply([]));

/** Takes in what the feed tells; calling the answer ends it. */
export function follow(feed: Feed): () => void {
  return feed((message: FeedMessage) =>
    batch(() => {
      if (message.isAnew || message.changes.length > 0) {
        touched.value = model.apply(message.changes, message.isAnew);
      }
      link.value = message.link;
      revision.value = message.revision;
    }),
  );
}
