// Relists all of etcd when changes were missed: they were compacted before this process received them, or etcd was
// restored from a backup and has another history.
import { systemClock } from "../../apimachinery/meta/clock.ts";
import { toRevision } from "../../apimachinery/meta/revision.ts";
import { type EtcdClient, newestRevision } from "./etcd-client.ts";
import type { EtcdFeed } from "./etcd-feed.ts";
import type { FollowedState } from "./followed-state.ts";
import { loadState } from "./load-history.ts";
import type { Reading } from "./read-values.ts";

const RELOAD_PAUSE_MS = 1000;

export interface ReadingAnewOptions {
  readonly client: EtcdClient;
  readonly reading: Reading;
  readonly followed: FollowedState;
  readonly feed: EtcdFeed;
  isClosed(): boolean;
  /** The new state is published. Must not throw. */
  done(): void;
  /** The attempt failed and is retried. Must not throw. */
  failed(error: unknown): void;
}

export class ReadingAnew {
  readonly #options: ReadingAnewOptions;
  #running: Promise<void> | undefined;
  #isOtherPast = false;

  constructor(options: ReadingAnewOptions) {
    this.#options = options;
  }

  /** Publishes the differences as one change. Resolves when that is done or the store is closed. Never rejects. */
  afterMissing(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Replaces the whole state, since none of its history is valid any more. Resolves and rejects as afterMissing. */
  afterRestore(): Promise<void> {
    this.#isOtherPast = true;
    this.#options.feed.stop();
    return this.afterMissing();
  }

  async #run(): Promise<void> {
    const { feed, isClosed, done, failed } = this.#options;
    while (!isClosed()) {
      try {
        const revision = await this.#once();
        if (this.#isOtherPast) continue; // a restore was found meanwhile
        feed.start(revision + 1);
        done();
        return;
      } catch (error) {
        failed(error);
        await systemClock.sleep(RELOAD_PAUSE_MS);
      }
    }
  }

  async #once(): Promise<number> {
    const { client, reading, followed } = this.#options;
    const wasOtherPast = this.#isOtherPast;
    const revision = await newestRevision(client);
    const read = await loadState(client, reading, toRevision(revision));
    if (wasOtherPast || revision < followed.revision) {
      this.#isOtherPast = false;
      followed.beginAnew(read);
    } else await followed.replace(read);
    return revision;
  }
}
