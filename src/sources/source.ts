// Where objects come from that are in no store of ours: files, archives, a copy of etcd, a cluster's lists. Each is a stream
// of what was found; what is not understood is told of and does not end it.
import type { KubeObject } from "../meta/object-meta.ts";

export interface FoundObject {
  readonly type: "object";
  /** As it stood, with all that a server had written of itself. */
  readonly object: KubeObject;
  /** A file, a key of etcd, or a path of an API. */
  readonly origin: string;
  /** What the place where it lay says of its kind. */
  readonly place?: Place;
}

/** What a path says of the objects that lie there. */
export interface Place {
  /** "" for the core group. */
  readonly group?: string;
  /** The plural, as it stands in URLs. */
  readonly resource?: string;
  readonly namespaced?: boolean;
  /** What objects are that do not say it themselves. */
  readonly apiVersion?: string;
  readonly kind?: string;
}

/** Something that could have been an object, or several. */
export interface SkippedPart {
  readonly type: "skipped";
  readonly origin: string;
  readonly reason: string;
}

/** A kind in one of its versions, as discovery or a definition tells of it. */
export interface KindFacts {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The plural, as it stands in URLs. */
  readonly resource: string;
  readonly namespaced: boolean;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** What can be done with its objects; left out where nobody says. */
  readonly verbs?: readonly string[];
  readonly hasStatus?: boolean;
}

export interface FoundKinds {
  readonly type: "kinds";
  readonly kinds: readonly KindFacts[];
  readonly origin: string;
}

/** What is said of the cluster by something that is no object. */
export interface ClusterNotes {
  /** The revision of a store as a whole. */
  readonly revision?: bigint;
  /** Networks of Services, as a store keeps them beside its objects, with commas. */
  readonly serviceSubnets?: string;
  readonly nodePorts?: string;
  readonly kubernetesVersion?: string;
  /** The form of what was read, where it is one of those with a name: "an Insights archive". */
  readonly form?: string;
  /** What is known to be missing of such a form, for the person who reads it. */
  readonly lacks?: string;
}

export interface FoundNotes {
  readonly type: "notes";
  readonly notes: ClusterNotes;
  readonly origin: string;
}

export type SourceItem = FoundObject | SkippedPart | FoundKinds | FoundNotes;

/** A source that cannot be read at all, in one line for the person who named it. */
export class SourceError extends Error {}

export const skipped = (origin: string, reason: string): SkippedPart => ({ type: "skipped", origin, reason });

/** What `readFiles` takes, for people. */
export const SOURCE_FORMS =
  "a file or folder of YAML or JSON, a must-gather or another tool's bundle (also .tar, .tar.gz, .zip), or a copy of etcd";
