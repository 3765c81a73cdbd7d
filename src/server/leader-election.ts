// Of several servers on one store one runs the controllers. They elect it as those of Kubernetes do: by a Lease that its
// holder renews, and that another one takes when it has not been renewed for a while by his own clock (client-go's
// leaderelection). A holder that was held up may still write after he has lost: so his writes are bound to a key of the
// store that each new holder writes, and are refused from then on.
import { hostname } from "node:os";
import { type Client, presentObject, type ResourceName } from "../client/client.ts";
import { formatMicroTime } from "../go/time.ts";
import { elapsedMs, systemClock } from "../meta/clock.ts";
import { numberAt, objectAt, textAt } from "../meta/json.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import type { Revision } from "../meta/revision.ts";
import { type Guard, type Store, StoreError } from "../storage/store.ts";

const LEASES: ResourceName = { group: "coordination.k8s.io", version: "v1", resource: "leases" };
const LEASE = { namespace: "kube-system", name: "egret-controller-manager" };
/** Beside all objects: nobody sees it by the API. */
const FENCE = "/egret/controllers/leader";

const LEASE_SECONDS = 15;
const RENEW_DEADLINE_MS = 10_000;
const RETRY_MS = 2000;

export interface ElectionOptions {
  readonly store: Store;
  readonly client: Client;
  /** No other server has this one. */
  readonly uid: string;
  /** Runs the controllers until the signal aborts; resolves when they have ended. Must not reject. */
  lead(guard: Guard, signal: AbortSignal): Promise<void>;
  /** Told who leads when that changes. Must not throw. */
  readonly onLeader: (holder: string, isThis: boolean) => void;
}

/** What was last seen of the Lease, and when. A clock that jumps would keep somebody in office, or another one waiting. */
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

  /** Stands for election until the signal aborts, and gives the Lease back then. `tried` is called after each attempt. */
  async run(signal: AbortSignal, tried: () => void): Promise<void> {
    while (!signal.aborted) {
      const guard = await this.#win();
      if (guard !== undefined) await this.#lead(guard, signal, tried);
      else tried();
      await pause(RETRY_MS, signal);
    }
    tried();
  }

  async #lead(guard: Guard, signal: AbortSignal, tried: () => void): Promise<void> {
    const { store, lead } = this.#options;
    const life = new AbortController();
    const led = lead(guard, life.signal);
    tried();
    while (!signal.aborted && elapsedMs() - this.#renewedMs < RENEW_DEADLINE_MS) {
      await pause(RETRY_MS, signal);
      if (signal.aborted) break;
      // A call that does not come back must not keep him in office.
      const late = new AbortController();
      const left = RENEW_DEADLINE_MS - (elapsedMs() - this.#renewedMs);
      const isHeld = await Promise.race([
        this.#hold(),
        pause(Math.max(left, 0), late.signal).then(() => undefined),
      ]);
      late.abort();
      if (isHeld === false && this.#holder !== this.#identity) break;
      // Nothing of his is written any more; he may still hold the Lease, where the store was restored from a copy.
      if (store.get(FENCE)?.modRevision !== guard.modRevision) break;
    }
    life.abort(new Error("another server runs the controllers"));
    await led;
    if (signal.aborted && this.#holder === this.#identity) await this.#release();
  }

  /** The guard of a new term of office; undefined: somebody else has it, or nobody can be asked. */
  async #win(): Promise<Guard | undefined> {
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
      if (error instanceof StoreError) return undefined; // somebody else was faster, or the store does not answer
      throw error;
    }
  }

  /** Takes or renews the Lease. False: somebody else has it, or it could not be written. */
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
      return false; // it is tried again, until the time is over
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
      // The next one waits until it has run out.
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
