// Leader election among servers that share a store: the leader runs the controllers. The leader renews a Lease;
// another server takes the Lease when it has not been renewed for its duration by that server's own clock
// (client-go's leaderelection). A delayed former leader may still write. Therefore controller writes carry a fencing
// token: a store key that each new leader rewrites. Writes with an old token are rejected.
import { hostname } from "node:os";
import { formatMicroTime } from "../apimachinery/go/time.ts";
import { numberAt, objectAt, textAt } from "../apimachinery/json/json.ts";
import { elapsedMs, systemClock } from "../apimachinery/meta/clock.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import type { Revision } from "../apimachinery/meta/revision.ts";
import { type Client, presentObject, type ResourceName } from "../controller/client.ts";
import { type FencingToken, type Store, StoreError } from "../storage/store.ts";

const LEASES: ResourceName = { group: "coordination.k8s.io", version: "v1", resource: "leases" };
const LEASE = { namespace: "kube-system", name: "egret-controller-manager" };
/** The key of the fencing token. It is outside of /registry, so the API does not serve it. */
const FENCE = "/egret/controllers/leader";

const LEASE_SECONDS = 15;
const RENEW_DEADLINE_MS = 10_000;
const RETRY_MS = 2000;

export interface ElectionOptions {
  readonly store: Store;
  readonly client: Client;
  /** Unique among servers. */
  readonly uid: string;
  /** Runs the controllers until the signal aborts. Resolves when they have stopped. Must not reject. */
  lead(fencingToken: FencingToken, signal: AbortSignal): Promise<void>;
  /** Called when the leader changes. Must not throw. */
  readonly onLeader: (holder: string, isThis: boolean) => void;
}

/**
 * The last observed Lease version and its time. The time is monotonic: a clock jump must not extend or cut
 * leadership.
 */
interface Seen {
  readonly resourceVersion: string;
  readonly atMs: number;
}

export class LeaderElection {
  readonly #options: ElectionOptions;
  readonly #identity: string;
  #seen: Seen = { resourceVersion: "", atMs: 0 };
  #holder = "";
  #renewedMs = 0;

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#identity = `${hostname()}_${options.uid}`;
  }

  /** Runs for election until the signal aborts, then releases the Lease. Calls `tried` after each attempt. */
  async run(signal: AbortSignal, tried: () => void): Promise<void> {
    while (!signal.aborted) {
      const fencingToken = await this.#win();
      if (fencingToken !== undefined) await this.#lead(fencingToken, signal, tried);
      else tried();
      await pause(RETRY_MS, signal);
    }
    tried();
  }

  async #lead(fencingToken: FencingToken, signal: AbortSignal, tried: () => void): Promise<void> {
    const { store, lead } = this.#options;
    const life = new AbortController();
    const led = lead(fencingToken, life.signal);
    tried();
    while (!signal.aborted && elapsedMs() - this.#renewedMs < RENEW_DEADLINE_MS) {
      await pause(RETRY_MS, signal);
      if (signal.aborted) break;
      // A call that never returns must not extend leadership.
      const late = new AbortController();
      const left = RENEW_DEADLINE_MS - (elapsedMs() - this.#renewedMs);
      const isHeld = await Promise.race([
        this.#hold(),
        pause(Math.max(left, 0), late.signal).then(() => undefined),
      ]);
      late.abort();
      if (isHeld === false && this.#holder !== this.#identity) break;
      // The fencing token was replaced, so writes are rejected. The Lease may still name this server where the store
      // was restored from a backup.
      if (store.get(FENCE)?.modRevision !== fencingToken.modRevision) break;
    }
    life.abort(new Error("another server runs the controllers"));
    await led;
    if (signal.aborted && this.#holder === this.#identity) await this.#release();
  }

  /**
   * Returns the fencing token of a new term; undefined: another server holds the Lease, or the store does not
   * respond.
   */
  async #win(): Promise<FencingToken | undefined> {
    const { store } = this.#options;
    try {
      await store.caughtUp();
      const before = store.get(FENCE);
      if (!(await this.#hold())) return undefined;
      const value = Buffer.from(this.#identity);
      const modRevision: Revision = await store.commit([
        before === undefined
          ? { type: "create", key: FENCE, value }
          : { type: "update", key: FENCE, value, ifModRevision: before.modRevision },
      ]);
      return { key: FENCE, modRevision };
    } catch (error) {
      if (error instanceof StoreError) return undefined; // another server was first, or the store does not respond
      throw error;
    }
  }

  /** Acquires or renews the Lease. False: another server holds it, or the write failed. */
  async #hold(): Promise<boolean> {
    const { client } = this.#options;
    try {
      const lease = await presentObject(client, LEASES, LEASE);
      const nowMs = elapsedMs();
      if (lease !== undefined && !this.#mayTake(lease, nowMs)) return false;
      const next = lease === undefined ? newLease(this.#identity) : this.#taken(lease);
      const written =
        lease === undefined ? await client.create(LEASES, next) : await client.update(LEASES, next);
      this.#renewedMs = nowMs;
      this.#note(written, nowMs);
      return true;
    } catch {
      return false; // retried until the renew deadline
    }
  }

  #mayTake(lease: KubeObject, nowMs: number): boolean {
    this.#note(lease, nowMs);
    if (this.#holder === "" || this.#holder === this.#identity) return true;
    const seconds = numberAt(objectAt(lease, "spec"), "leaseDurationSeconds") ?? LEASE_SECONDS;
    return nowMs - this.#seen.atMs >= seconds * 1000;
  }

  #note(lease: KubeObject, nowMs: number): void {
    const { resourceVersion = "" } = lease.metadata;
    if (resourceVersion === this.#seen.resourceVersion) return;
    this.#seen = { resourceVersion, atMs: nowMs };
    const holder = textAt(objectAt(lease, "spec"), "holderIdentity");
    if (holder === this.#holder) return;
    this.#holder = holder;
    if (holder !== "") this.#options.onLeader(holder, holder === this.#identity);
  }

  #taken(lease: KubeObject): KubeObject {
    const spec = objectAt(lease, "spec") ?? {};
    const isNew = textAt(spec, "holderIdentity") !== this.#identity;
    const time = formatMicroTime(systemClock.now());
    const transitions = (numberAt(spec, "leaseTransitions") ?? 0) + (isNew ? 1 : 0);
    const held = { holderIdentity: this.#identity, leaseDurationSeconds: LEASE_SECONDS, renewTime: time };
    const taken = isNew ? { acquireTime: time, leaseTransitions: transitions } : {};
    return { ...lease, spec: { ...spec, ...held, ...taken } };
  }

  async #release(): Promise<void> {
    const { client } = this.#options;
    const time = formatMicroTime(systemClock.now());
    try {
      const lease = await client.get(LEASES, LEASE);
      const spec = objectAt(lease, "spec") ?? {};
      if (textAt(spec, "holderIdentity") !== this.#identity) return;
      const given = { holderIdentity: "", leaseDurationSeconds: 1, renewTime: time, acquireTime: time };
      await client.update(LEASES, { ...lease, spec: { ...spec, ...given } });
    } catch {
      // The next leader waits until the Lease expires.
    }
  }
}

function newLease(holderIdentity: string): KubeObject {
  const time = formatMicroTime(systemClock.now());
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: LEASE,
    spec: {
      ...{ holderIdentity, leaseDurationSeconds: LEASE_SECONDS, acquireTime: time, renewTime: time },
      leaseTransitions: 0,
    },
  };
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  systemClock.sleep(ms, signal).catch(() => {});
