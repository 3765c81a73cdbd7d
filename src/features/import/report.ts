// The result of an import, for its user.
import { integer, list, number, object, text, type ValueOf } from "../control-surface/control-route.ts";

const ORIGINS = list(text(), "Where the first of them are.");

export const IMPORT_REPORT = object({
  objects: integer("How many were written."),
  kinds: list(
    object({ resource: text("With its group: egressips.k8s.ovn.org."), count: integer() }),
    "By name.",
  ),
  replaced: integer("Of those, how many took the place of an object of the server."),
  kept: list(
    object({ object: text(), why: text() }),
    "What the server has under the same name and keeps, because it goes with the server and not with the cluster.",
  ),
  skipped: list(
    object({ reason: text(), count: integer(), origins: ORIGINS }),
    "What was not written, the most frequent reason first.",
  ),
  derived: list(text(), "Kinds that nobody has defined: definitions were made for their objects."),
  namespaces: object({
    made: list(text(), "Namespaces that had to be made: nothing is known of their labels."),
    missing: list(text(), "Namespaces of objects that are not there, and were not needed."),
  }),
  absentOwners: integer(
    "Owners that objects name and that did not come: nothing is collected because of them.",
  ),
  redacted: integer("Secrets whose values somebody has taken out before."),
  hints: list(text(), "What should be known besides."),
  firstRevision: text(
    "The resourceVersion before the first write. Versions are new; their order is the old one.",
  ),
  lastRevision: text("That of the last write."),
  seconds: number(),
});
export type ImportReport = ValueOf<typeof IMPORT_REPORT>;
