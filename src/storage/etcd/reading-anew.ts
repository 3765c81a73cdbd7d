// Reads all of etcd anew, when changes have been missed: because they were compacted before this process has heard of them, or
// because etcd has another past by now, as one that was restored from a copy has.
import { systemClock } from "../../meta/clock.ts";
import { toRevision } from "../../meta/revision.ts";
import type { EtcdClient } from "./etcd-client.ts";
import type { EtcdFeed } from "./etcd-feed.ts";
import type { FollowedState } from "./followed-state.ts";
import { loadState, type Reading } from "./load-history.ts";
import { newestRevision } from "./newest-revision.ts";

const RELOAD_PAUSE_MS = 1000;

export interface ReadingAnewOptions {
  readonly client: EtcdClient;
  readonly reading: Reading;
  readonly followed: FollowedState;
  readonly feed: EtcdFeed;
  isClosed(): boolean;
  /** It is shown. Must not throw. */
  done(): void;
  /** It is tried again. Must not throw. */
  failed(error: unknown): void;
}

export class ReadingAnew {
  readonly #options: ReadingAnewOptions;
  #running: Promise<void> | undefined;
  #isOtherPast = false;

  constructor(options: ReadingAnewOptions) {
    this.#options = options;
  }

  /** What is different is told as one change. Resolves when it is done, or the store is closed. Never rejects. */
  afterMissing(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Nothing of what was told holds any more. Resolves and rejects likewise. */
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
        if (this.#isOtherPast) continue; // found out meanwhile
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
