// Compaction of an etcd that several servers share, kube-apiservers included. In each interval one of the servers
// compacts, to the revision that etcd had one interval before. The server whose transaction writes the key first is
// elected for the interval.
import type { Clock, Timer } from "../../apimachinery/meta/clock.ts";
import type { Revision } from "../../apimachinery/meta/revision.ts";
import { StoreError } from "../store.ts";
import type { EtcdClient } from "./etcd-client.ts";

/** Holds the last compacted revision as a decimal number. The key is outside all prefixes. */
export const COMPACT_KEY = "compact_rev_key";

export interface CompactorOptions {
  readonly client: Pick<EtcdClient, "txn" | "range">;
  readonly clock: Clock;
  readonly intervalMs: number;
  /** Compacts etcd to that revision. */
  compact(revision: number): Promise<void>;
  /** A round failed; the next one is still scheduled. Must not throw. */
  failed(error: unknown): void;
}

export class EtcdCompactor {
  readonly #options: CompactorOptions;
  #timer: Timer | undefined;
  /** The last known version of the key, and etcd's revision one round ago; 0: unknown. */
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

  /** Tries to be elected for this interval, and compacts if it is. Never rejects. */
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

/** Compacts etcd's history. Does nothing if another process has compacted further. */
export async function compactEtcd(client: Pick<EtcdClient, "compact">, before: Revision): Promise<void> {
  try {
    await client.compact(before);
  } catch (error) {
    if (!(error instanceof StoreError && error.code === "COMPACTED")) throw error;
  }
}
