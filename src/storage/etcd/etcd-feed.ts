// The one watch stream that a store keeps on etcd: all changes of all keys from a revision on, without gaps. A lost
// stream resumes from the next revision. Every revision of etcd changes at least one key, so a watch of all keys also
// shows how far it has come. Progress requests are not needed; old versions of etcd answer them too early.
import { systemClock, type Timer } from "../../apimachinery/meta/clock.ts";
import { StoreError } from "../store.ts";
import { type EtcdClient, newestRevision, type WatchCall } from "./etcd-client.ts";
import { type EtcdEvent, type EtcdKeyValue, FIRST_ETCD_KEY, type WatchResponse } from "./messages.ts";

const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 1000;

export interface FeedListener {
  /** Changes in the order of their revisions. All events of a revision come in one call. */
  changed(events: readonly EtcdEvent[]): void;
  /** The next revision has been compacted: the store must relist. No further calls until start(). */
  lost(compactRevision: number): void;
  /** etcd's history differs from what was reported: etcd was restored from a backup. No further calls until start(). */
  restored(): void;
  /** Whether the watch stream is connected. */
  connected(isConnected: boolean, why?: unknown): void;
}

export class EtcdFeed {
  readonly #client: EtcdClient;
  readonly #listener: FeedListener;
  #next = 0;
  /** The last put among the reported events. */
  #last: EtcdKeyValue | undefined;
  #call: WatchCall | undefined;
  #retry: Timer | undefined;
  #retryMs = RETRY_MS_MIN;
  /** Increases with each start() and stop(); responses of an earlier round are dropped. */
  #round = 0;

  constructor(client: EtcdClient, listener: FeedListener) {
    this.#client = client;
    this.#listener = listener;
  }

  /** Reports all changes from this revision on. */
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

  /**
   * etcd may have been restored from a backup while the stream was closed, so that is checked before it is opened
   * again.
   */
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
 * Whether etcd still holds the last seen key at that revision and with that value. An older backup does not reach that
 * revision. If other clients have written since the restore, the revision holds something else.
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
    if (error instanceof StoreError && error.code === "COMPACTED") return true; // the old revision can no longer be compared
    throw error;
  }
}
