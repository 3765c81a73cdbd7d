// State that all views share: the model, its last change, and the connection to the server.
import { batch, signal } from "@preact/signals";
import type { Feed, FeedMessage, Link, Refusal } from "./data/feed.ts";
import { Model, type Touched } from "./data/model.ts";

export const link = signal<Link>({ state: "loading", missing: [] });
export const refused = signal<readonly Refusal[]>([]);
export const revision = signal(0);
/**
 * The model changes in place. A component that reads it also reads `touched`, which gets a new value with each change.
 */
export const model = new Model();
export const touched = signal<Touched>(model.apply([]));

/** Incremented when all state is replaced: the cluster may be another one. */
export const clusters = signal(0);

let followed: Feed | undefined;

/** Applies the messages of a feed to the state; the returned function stops it. */
export function follow(feed: Feed): () => void {
  followed = feed;
  return feed.follow((message: FeedMessage) =>
    batch(() => {
      if (message.isAnew || message.changes.length > 0) {
        touched.value = model.apply(message.changes, message.isAnew);
        if (message.isAnew) clusters.value++;
      }
      link.value = message.link;
      refused.value = message.refused;
      revision.value = message.revision;
    }),
  );
}

/** Changes that turn the state at one revision into that at another. */
export const past: Feed["past"] = async (revision, from) =>
  followed?.past(revision, from) ?? { state: "failed", message: "The page has no server yet." };

/** Retries failed requests at once. */
export const again = (): void => followed?.again();
