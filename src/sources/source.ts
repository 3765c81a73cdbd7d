// Where objects come from that are in no store of ours: files, archives, a cluster's lists. Each is a stream of what was
// found; what is not understood is told of and does not end it.
import type { KubeObject } from "../meta/object-meta.ts";

export interface FoundObject {
  readonly type: "object";
  /** As it stood, with all that a server had written of itself. */
  readonly object: KubeObject;
  /** A file, or a path of an API. */
  readonly origin: string;
}

/** Something that could have been an object, or several. */
export interface SkippedPart {
  readonly type: "skipped";
  readonly origin: string;
  readonly reason: string;
}

export type SourceItem = FoundObject | SkippedPart;

/** A source that cannot be read at all, in one line for the person who named it. */
export class SourceError extends Error {}

export const skipped = (origin: string, reason: string): SkippedPart => ({ type: "skipped", origin, reason });

/** One kind in one namespace has one object of a name, whatever version it was read in. */
export function identityOf({ apiVersion = "", kind = "", metadata }: Readonly<KubeObject>): string {
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  return `${group}/${kind}/${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

/**
 * Objects of which one source may hold several states, as one that was gathered over minutes does: the newest counts, and
 * of those that have no version the last.
 */
export class NewestObjects {
  readonly #found = new Map<string, KubeObject>();

  add(object: KubeObject): void {
    const identity = identityOf(object);
    const known = this.#found.get(identity);
    if (known === undefined || versionOf(object) >= versionOf(known)) this.#found.set(identity, object);
  }

  values(): Iterable<KubeObject> {
    return this.#found.values();
  }
}

/** Nobody but the server may compare versions, save for those who have nobody to ask: they are numbers of revisions. */
function versionOf({ metadata }: KubeObject): bigint {
  const { resourceVersion = "" } = metadata;
  return /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : 0n;
}
