// The writes of one object among the last requests, by the revisions that they have led to.
import type { RequestLog } from "../requests/request-log.ts";

/** Who asked for a write over the wire. */
export interface LoggedWrite {
  readonly user: string;
  readonly userAgent: string;
  readonly verb: string;
  /** RFC 3339. */
  readonly time: string;
}

export interface LoggedObject {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

const WRITES = new Set(["create", "update", "patch", "delete"]);

/** By revision. A write that changes nothing is answered with a revision from before, and is not the one that made it. */
export function loggedWrites(log: RequestLog, object: LoggedObject): ReadonlyMap<string, LoggedWrite> {
  const { group, resource, namespace, name } = object;
  const writes = new Map<string, LoggedWrite>();
  for (const entry of log.entries({ group, resource, namespace })) {
    const { resourceVersion, verb, user, userAgent, time } = entry;
    if (resourceVersion === undefined || writes.has(resourceVersion) || !WRITES.has(verb)) continue;
    // What is created is not named in the path; the revision tells it from others.
    if (verb === "create" ? entry.subresource === "" : entry.name === name)
      writes.set(resourceVersion, { user, userAgent, verb, time });
  }
  return writes;
}
