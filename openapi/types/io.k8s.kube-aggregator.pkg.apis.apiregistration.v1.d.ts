// Written by `npm run types` from the schemas; do not edit.
import type { ObjectMeta, Time } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** One version of a group, and who serves it. */
export interface APIService {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "apiregistration.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "APIService";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Which version of which group it is, and where its server is. */
  spec?: APIServiceSpec;
  /** Whether it is served. */
  status?: APIServiceStatus;
}

/** Whether something about a served version holds. */
export interface APIServiceCondition {
  /** When the status changed last. */
  lastTransitionTime?: Time;
  /** For people: more about the reason. */
  message?: string;
  /** Why the status is what it is, as one word. */
  reason?: string;
  /** True, False or Unknown. */
  status?: string;
  /** What the condition is about, such as Available. */
  type?: string;
}

/** A version of a group and its server. */
export interface APIServiceSpec {
  /** Certificates in PEM that sign the server's own; none for a version that this server serves itself. */
  caBundle?: string;
  /** Name of the group; none for the core group. */
  group?: string;
  /** Where discovery lists the group: the greater, the earlier; at most 20000. */
  groupPriorityMinimum?: number;
  /** Whether the server's certificate is left unchecked. */
  insecureSkipTLSVerify?: boolean;
  /** Where the server is; none for a version that this server serves itself. */
  service?: ServiceReference;
  /** Name of the version. */
  version?: string;
  /** Where discovery lists the version within its group: the greater, the earlier; at most 1000. */
  versionPriority?: number;
}

/** Whether a version is served. */
export interface APIServiceStatus {
  /** Named states of the version, such as Available. */
  conditions?: APIServiceCondition[];
}

/** The Service behind which a server is. */
export interface ServiceReference {
  /** Name of the service. */
  name?: string;
  /** Namespace of the service. */
  namespace?: string;
  /** Port of the service; 443 when left out. */
  port?: number;
}
