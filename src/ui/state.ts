// What all views share: the model, what was touched of it last, and how it stands with the server.
import { batch, signal } from "@preact/signals";
import type { Feed, FeedMessage, Link, Refusal } from "./data/feed.ts";
import { Model, type Touched } from "./data/model.ts";

export const link = signal<Link>({ state: "loading", missing: [] });
export const refused = signal<readonly Refusal[]>([]);
export const revision = signal(0);
/** It changes in place; who shows some of it reads `touched` too, which is set anew with every change. */
export const model = new Model();
export const touched = signal<Touched>(model.apply([]));

/** Goes up when all that was told is to be forgotten: it may be another cluster. */
export const clusters = signal(0);

let followed: Feed | undefined;

/** Takes in what the feed tells; calling the answer ends it. */
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

/** What makes the state at one revision that at another. */
export const past: Feed["past"] = async (revision, from) =>
  followed?.past(revision, from) ?? { state: "failed", message: "The page has no server yet." };

/** Tries at once what has failed. */
export const again = (): void => followed?.again();
