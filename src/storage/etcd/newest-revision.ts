// Linearizable reads: one quorum read returns etcd's current revision, and the caller waits until the local state has
// reached it. Callers that arrive while a read is in flight share the next one.
import { measured, type StoreMetrics } from "../store-metrics.ts";
import { type EtcdClient, newestRevision } from "./etcd-client.ts";
import type { FollowedState } from "./followed-state.ts";

interface NewestOptions {
  readonly client: EtcdClient;
  readonly followed: FollowedState;
  readonly metrics: StoreMetrics;
  /** etcd's revision is lower than before; resolves when its current history is followed. */
  wentBack(): Promise<void>;
}

export class NewestRevision {
  readonly #options: NewestOptions;
  #asked: Promise<number> | undefined;
  #next: Promise<number> | undefined;

  constructor(options: NewestOptions) {
    this.#options = options;
  }

  /** Resolves when all that was written before the call can be read here. */
  async reached(): Promise<void> {
    await this.#options.followed.reached(await this.#ask());
  }

  #ask(): Promise<number> {
    if (this.#asked === undefined) {
      const asked = this.#newest().finally(() => {
        this.#asked = undefined;
      });
      this.#asked = asked;
      return asked;
    }
    const goOn = (): Promise<number> => {
      this.#next = undefined;
      return this.#ask();
    };
    this.#next ??= this.#asked.then(goOn, goOn);
    return this.#next;
  }

  async #newest(): Promise<number> {
    const { client, followed, metrics, wentBack } = this.#options;
    const { revision: before, past } = followed;
    const revision = await measured(metrics, "get", "", () => newestRevision(client));
    if (revision < before && past === followed.past) await wentBack();
    return revision;
  }
}
