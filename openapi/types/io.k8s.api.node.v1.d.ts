// Written by `npm run types` from the schemas; do not edit.
import type { Toleration } from "./io.k8s.api.core.v1.d.ts";
import type { Quantity } from "./io.k8s.apimachinery.pkg.api.resource.d.ts";
import type { ObjectMeta } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** What running a pod costs beside its containers. */
export interface Overhead {
  /** Amounts for each pod, by resource. */
  podFixed?: { [key: string]: Quantity };
}

/** A way in which nodes run the containers of a pod. */
export interface RuntimeClass {
  /** Version of the API in which this object is written. */
  apiVersion: "node.k8s.io/v1";
  /** Name by which nodes know how to run it; cannot be changed. */
  handler?: string;
  /** Name of the type that this object has. */
  kind: "RuntimeClass";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What a pod of this class needs beside its containers. */
  overhead?: Overhead;
  /** Which nodes know the class; all of them if left out. */
  scheduling?: Scheduling;
}

/** Which nodes know a class of running pods. */
export interface Scheduling {
  /** Labels of these nodes; pods of the class must not ask for others. */
  nodeSelector?: { [key: string]: string };
  /** Taints of these nodes that pods of the class are let through. */
  tolerations?: Toleration[];
}
