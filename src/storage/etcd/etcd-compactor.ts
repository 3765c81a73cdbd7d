// Forgetting what is past, in an etcd that several servers use: of all of them, kube-apiservers included, one does it in each
// interval, and it goes back to where etcd stood one interval before. Who writes the key first has won.
import type { Clock, Timer } from "../../meta/clock.ts";
import type { EtcdClient } from "./etcd-client.ts";

/** Says to which revision was compacted last, as a decimal number. It lies beside all prefixes. */
export const COMPACT_KEY = "compact_rev_key";

export interface CompactorOptions {
  readonly client: Pick<EtcdClient, "txn" | "range">;
  readonly clock: Clock;
  readonly intervalMs: number;
  /** Compacts etcd to that revision. */
  compact(revision: number): Promise<void>;
  /** A round that could not be done: the next one goes on. Must not throw. */
  failed(error: unknown): void;
}

export class EtcdCompactor {
  readonly #options: CompactorOptions;
  #timer: Timer | undefined;
  /** What is known of the key, and where etcd stood a round ago; 0: nothing yet. */
  #version = 0;
  #revision = 0;

  constructor(options: CompactorOptions) {
    this.#options = options;
    this.#wait();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #wait(): void {
    const { clock, intervalMs } = this.#options;
    this.#timer = clock.after(intervalMs, () => {
      void this.round().then(() => {
        if (this.#timer !== undefined) this.#wait();
      });
    });
  }

  /** One try to be the one of this interval. Never rejects. */
  async round(): Promise<void> {
    const { client, compact, failed } = this.#options;
    try {
      const { succeeded, revision } = await client.txn({
        compare: [{ key: COMPACT_KEY, version: this.#version }],
        success: [{ type: "put", key: COMPACT_KEY, value: Buffer.from(String(this.#revision)) }],
      });
      const before = this.#revision;
      this.#revision = revision;
      if (!succeeded) {
        const { kvs } = await client.range({ key: COMPACT_KEY });
        this.#version = kvs[0]?.version ?? 0;
        return;
      }
      this.#version++;
      if (before > 0) await compact(before);
    } catch (error) {
      failed(error);
    }
  }
}
