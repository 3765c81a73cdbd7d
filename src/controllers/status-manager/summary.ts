// Puts the reports of all zones into one word, or finds that a report has to go first.
import type { KubeObject } from "../../meta/object-meta.ts";
import { conditionsOf, reportsOf, type ZonedKind } from "./zoned-kinds.ts";

export type Summary =
  /** Reports of zones that are no nodes; nothing is summed up while there are any. */
  | { readonly type: "stale"; readonly zones: readonly string[] }
  /** What status.status has to say; "" while not every zone has reported. */
  | { readonly type: "status"; readonly text: string };

/** Undefined while there are no zones: then nothing is known of anything. */
export function summarize(
  kind: ZonedKind,
  object: KubeObject,
  zones: ReadonlySet<string>,
): Summary | undefined {
  if (zones.size === 0) return undefined;
  const reports = reportsOf(kind, object);
  const stale = new Set(reports.map(zoneOf).filter((zone) => !zones.has(zone)));
  if (stale.size > 0) return { type: "stale", zones: [...stale].sort() };
  if (textsOf(kind, object).some((text) => text.includes(kind.failureMark))) {
    return { type: "status", text: kind.failure };
  }
  // Reports are counted, not zones: two of one zone stand for two.
  return { type: "status", text: reports.length < zones.size ? "" : kind.success };
}

const zoneOf = (report: string): string => report.split(":", 1)[0] ?? "";

/** Where a failure is looked for: conditions that no zone has written count as well. */
function textsOf(kind: ZonedKind, object: KubeObject): readonly string[] {
  return kind.reports === "messages"
    ? reportsOf(kind, object)
    : conditionsOf(object).map(({ message }) => message);
}
