// Leases of keys that end by themselves. As a kube-apiserver does, one lease is shared by what is written within a while and
// is a little longer than asked for; nobody renews it, etcd lets it end.
import { elapsedMs } from "../../meta/clock.ts";
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
  /** By the seconds that were asked for. */
  readonly #granted = new Map<number, Granted>();

  constructor(client: EtcdClient) {
    this.#client = client;
  }

  /** What was granted is not there any more. */
  forget(): void {
    this.#granted.clear();
  }

  /** One that lasts for so many seconds from now on. Rejects as a call of etcd's does. */
  lasting(seconds: number): Promise<Lease> {
    const wantedMs = elapsedMs() + seconds * 1000;
    const present = this.#granted.get(seconds);
    if (present !== undefined && present.endsMs >= wantedMs && present.keys < LEASE_KEYS_MAX) {
      present.keys++;
      return present.lease;
    }
    if (present !== undefined) this.#client.figures.leaseKeys.observe(present.keys);
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
