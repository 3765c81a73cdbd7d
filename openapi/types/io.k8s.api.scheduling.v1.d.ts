// Written by `npm run types` from the schemas; do not edit.
import type { ObjectMeta } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** A name for how important pods are. */
export interface PriorityClass {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "scheduling.k8s.io/v1";
  /** For people: when to use the class. */
  description?: string;
  /** Whether pods that name no class get this one; at most one class may say so. */
  globalDefault?: boolean;
  /** Name of the type that this object has. */
  kind: "PriorityClass";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Whether pods of this class push out less important ones: Never, or PreemptLowerPriority, the default. */
  preemptionPolicy?: "Never" | "PreemptLowerPriority";
  /** The importance; the greater, the more. Users may go up to 1000000000. */
  value?: number;
}
