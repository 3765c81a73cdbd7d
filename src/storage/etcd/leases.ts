// etcd leases of keys that expire. As in a kube-apiserver, one lease is shared by all keys that are written within a
// time window, and lasts a little longer than requested. Leases are never renewed; etcd expires them.
import { elapsedMs } from "../../apimachinery/meta/clock.ts";
import type { EtcdClient } from "./etcd-client.ts";
import type { Lease } from "./messages.ts";

const REUSE_SHARE = 0.05;
const REUSE_SECONDS_MAX = 60;
const LEASE_KEYS_MAX = 1000;

interface Granted {
  readonly lease: Promise<Lease>;
  readonly endsMs: number;
  keys: number;
}

export class Leases {
  readonly #client: EtcdClient;
  /** By the requested TTL in seconds. */
  readonly #granted = new Map<number, Granted>();

  constructor(client: EtcdClient) {
    this.#client = client;
  }

  /** Drops all granted leases: etcd no longer has them. */
  forget(): void {
    this.#granted.clear();
  }

  /** Returns a lease that lasts at least so many seconds from now on. Rejects as a call to etcd does. */
  lasting(seconds: number): Promise<Lease> {
    const wantedMs = elapsedMs() + seconds * 1000;
    const present = this.#granted.get(seconds);
    if (present !== undefined && present.endsMs >= wantedMs && present.keys < LEASE_KEYS_MAX) {
      present.keys++;
      return present.lease;
    }
    if (present !== undefined) this.#client.metrics.leaseKeys.observe(present.keys);
    const reuse = Math.min(Math.floor(seconds * REUSE_SHARE), REUSE_SECONDS_MAX);
    const lease = this.#client.grantLease(seconds + reuse);
    const granted = { lease, endsMs: wantedMs + reuse * 1000, keys: 1 };
    this.#granted.set(seconds, granted);
    lease.catch(() => {
      if (this.#granted.get(seconds) === granted) this.#granted.delete(seconds);
    });
    return lease;
  }
}
