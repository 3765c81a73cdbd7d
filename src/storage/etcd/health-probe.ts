// Health check of etcd, as in a kube-apiserver: a read of one key with a timeout of two seconds, at most once a second.
// Only this detects a hanging connection before its keep-alive expires.
import { systemClock } from "../../apimachinery/meta/clock.ts";
import { type EtcdClient, NO_KEY } from "./etcd-client.ts";

const ANSWER_MS_MAX = 2000;
const PAUSE_MS = ANSWER_MS_MAX / 2;

export class HealthProbe {
  readonly #client: Pick<EtcdClient, "range">;
  #problem: string | undefined;
  /** The read in flight, shared by all callers meanwhile. */
  #looking: Promise<void> | undefined;
  /** A read that timed out may still be answered: until then no other one is sent. */
  #unanswered = false;
  #isFresh = false;

  constructor(client: Pick<EtcdClient, "range">) {
    this.#client = client;
  }

  /** The last result; undefined: etcd answers. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Updates `problem`; undefined: it is current. Never rejects. */
  look(): Promise<void> | undefined {
    if (this.#looking !== undefined) return this.#looking;
    if (this.#unanswered || this.#isFresh) return undefined;
    this.#looking = this.#ask().then((problem) => {
      this.#problem = problem;
      this.#looking = undefined;
      this.#isFresh = true;
      systemClock.after(PAUSE_MS, () => {
        this.#isFresh = false;
      });
    });
    return this.#looking;
  }

  #ask(): Promise<string | undefined> {
    this.#unanswered = true;
    return new Promise((resolve) => {
      const timer = systemClock.after(ANSWER_MS_MAX, () => resolve("context deadline exceeded"));
      const end = (problem: string | undefined) => {
        timer.cancel();
        this.#unanswered = false;
        this.#problem = problem;
        resolve(problem);
      };
      this.#client.range({ key: NO_KEY, limit: 1 }).then(
        () => end(undefined),
        (error: unknown) => end(error instanceof Error ? error.message : String(error)),
      );
    });
  }
}
