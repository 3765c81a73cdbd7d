// Written by `npm run types` from the schemas; do not edit.
import type { ObjectMeta } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** An additional network that pods can join by naming it in an annotation. */
export interface NetworkAttachmentDefinition {
  /** APIVersion defines the version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "k8s.cni.cncf.io/v1";
  /** Kind is the name of the type that this object has. */
  kind: "NetworkAttachmentDefinition";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Configuration of the network. */
  spec?: {
    /** CNI configuration as JSON text. Its content is not checked here. */
    config?: string;
  };
}
