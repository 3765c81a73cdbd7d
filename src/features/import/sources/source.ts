// Import sources outside of the store: files, archives, a copy of etcd, lists of a cluster. Each is a stream of items.
// Unknown content is reported as skipped and does not end the stream.
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";

export interface FoundObject {
  readonly type: "object";
  /** With all fields that the server had stored. */
  readonly object: KubeObject;
  /** A file, a key of etcd, or a path of an API. */
  readonly origin: string;
  /** What its path implies for its kind. */
  readonly place?: Place;
}

/** What a path implies for the objects below it. */
export interface Place {
  /** "" for the core group. */
  readonly group?: string;
  /** The plural, as in URLs. */
  readonly resource?: string;
  readonly namespaced?: boolean;
  /** For objects without apiVersion and kind. */
  readonly apiVersion?: string;
  readonly kind?: string;
}

/** A part that may have contained objects. */
export interface SkippedPart {
  readonly type: "skipped";
  readonly origin: string;
  readonly reason: string;
}

/** A kind in one version, from discovery or a CustomResourceDefinition. */
export interface KindFacts {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The plural, as in URLs. */
  readonly resource: string;
  readonly namespaced: boolean;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Left out if unknown. */
  readonly verbs?: readonly string[];
  readonly hasStatus?: boolean;
}

export interface FoundKinds {
  readonly type: "kinds";
  readonly kinds: readonly KindFacts[];
  readonly origin: string;
}

/** Facts about the cluster that are not in objects. */
export interface ClusterNotes {
  /** The revision of the whole store. */
  readonly revision?: bigint;
  /** CIDRs of the Service networks, comma-separated, as the store holds them beside its objects. */
  readonly serviceSubnets?: string;
  readonly nodePorts?: string;
  readonly kubernetesVersion?: string;
  /** Display name of a recognised layout: "an Insights archive". */
  readonly form?: string;
  /** What such a layout is known to lack, for display. */
  readonly lacks?: string;
}

export interface FoundNotes {
  readonly type: "notes";
  readonly notes: ClusterNotes;
  readonly origin: string;
}

export type SourceItem = FoundObject | SkippedPart | FoundKinds | FoundNotes;

/** The source cannot be read at all; a one-line message for the user. */
export class SourceError extends Error {}

export const skipped = (origin: string, reason: string): SkippedPart => ({ type: "skipped", origin, reason });

/** The inputs of `readFiles`, for messages. */
export const SOURCE_FORMS =
  "a file or folder of YAML or JSON, a must-gather or another tool's bundle (also .tar, .tar.gz, .zip), or a copy of etcd";
