// What the reads and writes of objects work with. Made once, by the server that puts the rooms together.

import type { KubeObject } from "../meta/object-meta.ts";
import type { Store } from "../storage/store.ts";
import type { Workers } from "../workers/job.ts";
import type { AdmissionPlugin, DynamicAdmission } from "./admission.ts";
import type { ResourceRegistry } from "./resource-registry.ts";

/** Bytes of an object as protobuf; undefined for kinds that have no message. */
export type MessageLength = (object: Readonly<KubeObject>) => number | undefined;

export interface RegistryDeps {
  readonly store: Store;
  /** Once it has aborted nothing is written any more, with its reason; left out: that never happens. */
  readonly over?: AbortSignal;
  readonly resources: ResourceRegistry;
  readonly admission: readonly AdmissionPlugin[];
  /** Policies and webhooks; left out: there are none. */
  readonly dynamicAdmission?: DynamicAdmission;
  /** Does what would hold the server's thread for too long; left out: that thread does it all. */
  readonly workers?: Workers;
  /** How long built-in objects are in the form that a real server stores; left out: as long as their JSON. */
  readonly messageLength?: MessageLength;
  /** As much as etcd would take; left out: what it takes when nobody tells it otherwise. */
  readonly requestBytesMax?: number;
}
