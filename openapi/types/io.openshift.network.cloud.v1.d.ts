// Written by `npm run types` from the schemas; do not edit.
import type { ObjectMeta } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** Asks the cloud to give a node one more private address; the name of the object is the address. */
export interface CloudPrivateIPConfig {
  /** APIVersion defines the version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "cloud.network.openshift.io/v1";
  /** Kind is the name of the type that this object has. */
  kind: "CloudPrivateIPConfig";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Wanted place of the address. */
  spec: {
    /** Name of the node that should have the address; unset or empty releases it. */
    node?: string;
  };
  /** Present place of the address. */
  status?: {
    /** Holds the condition Assigned, the outcome of the latest cloud request. */
    conditions: ({
      /** Time at which status last changed, in RFC 3339 form. */
      lastTransitionTime: string;
      /** Details for people. */
      message: string;
      /** Value of metadata.generation when the condition was computed. */
      observedGeneration?: number;
      /** One word for programs that tells why status has its value. */
      reason: string;
      /** Whether the condition holds: True, False or Unknown. */
      status: "True" | "False" | "Unknown";
      /** Name of the condition. */
      type: string;
    })[];
    /** Name of the node that has the address; empty if none. */
    node?: string;
  };
}
