// Written by `npm run types` from the schemas; do not edit.
import type { MicroTime, ObjectMeta } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** A claim that one holder renews, used for leader election and heartbeats. */
export interface Lease {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "coordination.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "Lease";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Who holds the lease, and since when. */
  spec?: LeaseSpec;
}

/** Who holds a lease, and since when. */
export interface LeaseSpec {
  /** When the present holder got the lease. */
  acquireTime?: MicroTime;
  /** Name of the present holder; empty if nobody has it. */
  holderIdentity?: string;
  /** How long others must wait after renewTime before they may take the lease. */
  leaseDurationSeconds?: number;
  /** How often the lease went from one holder to another. */
  leaseTransitions?: number;
  /** Who should get the lease next; only with a strategy. */
  preferredHolder?: string;
  /** When the holder last renewed the lease. */
  renewTime?: MicroTime;
  /** How the leader is chosen among candidates. */
  strategy?: string;
}
