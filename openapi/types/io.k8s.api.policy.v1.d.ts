// Written by `npm run types` from the schemas; do not edit.
import type { DeleteOptions, ObjectMeta } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** Asks a pod to leave its node. It is posted and not stored. */
export interface Eviction {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "policy/v1";
  /** How the pod is to be deleted. */
  deleteOptions?: DeleteOptions;
  /** Name of the type that this object has. */
  kind: "Eviction";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
}
