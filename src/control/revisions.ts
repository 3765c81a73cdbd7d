// Revisions that somebody asks about: as they are written, and whether the store still has them.
import { type Revision, toRevision } from "../meta/revision.ts";
import { badRequest } from "../meta/status.ts";
import { tooOldResourceVersion } from "../registry/resource-version.ts";
import type { Store } from "../storage/store.ts";

/** Throws a 400 for a text that is none. */
export function readRevision(digits: string, field: string): number {
  if (!/^[1-9]\d{0,15}$/.test(digits)) throw badRequest(`${field} ${JSON.stringify(digits)} is no revision`);
  return Number(digits);
}

type Kept = Pick<Store, "revision" | "compactedRevision">;

/** Throws a 400 for a revision that is not there yet. */
export function reachedRevision(store: Kept, revision: number): Revision {
  if (revision <= store.revision) return toRevision(revision);
  throw badRequest(`revision ${revision} is not there yet, the newest is ${store.revision}`);
}

/** Throws a 400 for a revision that is not there yet, and a 410 for one that is forgotten. */
export function keptRevision(store: Kept, revision: number): Revision {
  const reached = reachedRevision(store, revision);
  if (reached < store.compactedRevision) throw tooOldResourceVersion();
  return reached;
}
