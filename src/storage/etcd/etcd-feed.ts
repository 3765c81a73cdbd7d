// The one watch that a store keeps of etcd: all changes of all keys, from a revision on, without a gap. A stream that is lost
// is taken up where it ended. Every revision of etcd's is the change of some key, so whoever sees all keys also knows when
// he has seen everything up to a revision: nobody has to ask for progress, which old versions of etcd tell too early.
import { systemClock, type Timer } from "../../meta/clock.ts";
import { StoreError } from "../store.ts";
import type { EtcdClient, WatchCall } from "./etcd-client.ts";
import { type EtcdEvent, type EtcdKeyValue, FIRST_ETCD_KEY, type WatchResponse } from "./messages.ts";
import { newestRevision } from "./newest-revision.ts";

const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 1000;

export interface FeedListener {
  /** Changes in the order of their revisions; all events of a revision come together. */
  changed(events: readonly EtcdEvent[]): void;
  /** What comes next has been compacted: the state has to be read anew. Nothing more is told until start(). */
  lost(compactRevision: number): void;
  /** etcd has another past than what was told: it was restored from a copy. Nothing more is told until start(). */
  restored(): void;
  /** Whether changes are coming in. */
  connected(isConnected: boolean, why?: unknown): void;
}

export class EtcdFeed {
  readonly #client: EtcdClient;
  readonly #listener: FeedListener;
  #next = 0;
  /** The last that was written, of what was told. */
  #last: EtcdKeyValue | undefined;
  #call: WatchCall | undefined;
  #retry: Timer | undefined;
  #retryMs = RETRY_MS_MIN;
  /** Each start has one; what comes of an earlier one is not for anybody. */
  #round = 0;

  constructor(client: EtcdClient, listener: FeedListener) {
    this.#client = client;
    this.#listener = listener;
  }

  /** Tells all changes from this revision on. */
  start(revision: number): void {
    this.stop();
    this.#next = revision;
    this.#last = undefined;
    void this.#open(this.#round);
  }

  stop(): void {
    this.#round++;
    this.#retry?.cancel();
    this.#call?.close();
    this.#call = undefined;
  }

  async #open(round: number): Promise<void> {
    try {
      const call = await this.#client.watch({
        answered: (response) => {
          if (round === this.#round) this.#answered(response);
        },
        ended: (error) => this.#again(round, error),
      });
      if (round !== this.#round) {
        call.close();
        return;
      }
      this.#call = call;
      call.send({ key: FIRST_ETCD_KEY, rangeEnd: FIRST_ETCD_KEY, startRevision: this.#next });
    } catch (error) {
      this.#again(round, error);
    }
  }

  #answered(response: WatchResponse): void {
    if (response.canceled) {
      const round = this.#round;
      this.#call?.close();
      if (response.compactRevision > 0) {
        this.stop();
        this.#listener.lost(response.compactRevision);
      } else {
        this.#again(round, new Error(response.cancelReason));
      }
      return;
    }
    if (response.created) {
      this.#retryMs = RETRY_MS_MIN;
      this.#listener.connected(true);
    }
    const last = response.events.at(-1);
    if (last === undefined) return;
    this.#next = last.kv.modRevision + 1;
    this.#last = response.events.findLast(({ isDelete }) => !isDelete)?.kv ?? this.#last;
    this.#listener.changed(response.events);
  }

  #again(round: number, error: unknown): void {
    if (round !== this.#round) return;
    this.#call = undefined;
    this.#listener.connected(false, error);
    const delay = this.#retryMs;
    this.#retryMs = Math.min(delay * 2, RETRY_MS_MAX);
    this.#retry = systemClock.after(delay, () => void this.#openAgain(round));
  }

  /** While nobody looked, etcd may have become another one. */
  async #openAgain(round: number): Promise<void> {
    try {
      const isSame = await hasSamePast(this.#client, this.#next - 1, this.#last);
      if (round !== this.#round) return;
      if (isSame) return await this.#open(round);
      this.stop();
      this.#listener.restored();
    } catch (error) {
      this.#again(round, error);
    }
  }
}

/**
 * Whether etcd still holds what was last seen in it, at that revision and with that value. A copy that is older does not
 * reach so far, and where others have written to it since, something else stands there.
 */
async function hasSamePast(
  client: EtcdClient,
  seen: number,
  last: EtcdKeyValue | undefined,
): Promise<boolean> {
  if ((await newestRevision(client)) < seen) return false;
  if (last === undefined) return true;
  try {
    const { kvs } = await client.range({ key: last.key, revision: last.modRevision });
    const [there] = kvs;
    return there?.modRevision === last.modRevision && Buffer.compare(there.value, last.value) === 0;
  } catch (error) {
    if (error instanceof StoreError && error.code === "FUTURE_REVISION") return false;
    if (error instanceof StoreError && error.code === "COMPACTED") return true; // nobody can tell any more
    throw error;
  }
}
