// Revisions in user input: parsing, and the check against the store's revision and compaction.
import { type Revision, toRevision } from "../../apimachinery/meta/revision.ts";
import { badRequest } from "../../apimachinery/meta/status.ts";
import { tooOldResourceVersion } from "../../apiserver/registry/resource-version.ts";
import type { Store } from "../../storage/store.ts";

/** Throws a 400 for a text that is not a revision. */
export function readRevision(digits: string, field: string): number {
  if (!/^[1-9]\d{0,15}$/.test(digits)) throw badRequest(`${field} ${JSON.stringify(digits)} is no revision`);
  return Number(digits);
}

type Kept = Pick<Store, "revision" | "compactedRevision">;

/** Throws a 400 for a revision beyond the newest. */
export function reachedRevision(store: Kept, revision: number): Revision {
  if (revision <= store.revision) return toRevision(revision);
  throw badRequest(`revision ${revision} is not there yet, the newest is ${store.revision}`);
}

/** Throws a 400 for a revision beyond the newest, and a 410 for a compacted one. */
export function keptRevision(store: Kept, revision: number): Revision {
  const reached = reachedRevision(store, revision);
  if (reached < store.compactedRevision) throw tooOldResourceVersion();
  return reached;
}
