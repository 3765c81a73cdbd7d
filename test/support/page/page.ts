// A page with a fake server, and the messages that it has received.
import type { Feed, FeedMessage } from "../../../src/ui/data/feed.ts";
import { Model } from "../../../src/ui/data/model.ts";
import { feedOf, ServerFeed } from "../../../src/ui/data/server-feed.ts";
import { FakeServer } from "./fake-server.ts";
import { HeldClock } from "./held-clock.ts";

export class Page {
  readonly clock = new HeldClock();
  readonly server = new FakeServer(this.clock);
  readonly feed = new ServerFeed(this.server, this.clock);
  readonly messages: FeedMessage[] = [];

  /** Opens another tab, with its own model. */
  tab(): { readonly model: Model; readonly feed: Feed; readonly end: () => void } {
    const model = new Model();
    const feed = feedOf(this.feed);
    const end = feed.follow((message) => {
      this.messages.push(message);
      model.apply(message.changes, message.isAnew);
    });
    return { model, feed, end };
  }

  get last(): FeedMessage | undefined {
    return this.messages.at(-1);
  }

  pass(spanMs: number): void {
    for (let passed = 0; passed < spanMs; passed += 10) {
      this.clock.advance(10);
      this.server.deliver();
    }
    this.clock.advance(50);
  }
}

/** Pods by uid. */
export const revisionsOf = (model: Model) =>
  new Map([...model.pods.values()].map(({ uid, revision }) => [uid, revision]));
