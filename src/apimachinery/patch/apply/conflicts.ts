// Apply conflicts: fields owned by other managers, and the 409 response with one cause per field.
import { goQuote } from "../../go/strconv.ts";
import { FINDINGS_CHARS_MAX } from "../../meta/field-error.ts";
import { failure, type StatusError } from "../../meta/status.ts";
import { describePath, type PathElement } from "./fields/field-path.ts";
import { intersection } from "./fields/field-set.ts";
import { pathsOf } from "./fields/fields-v1.ts";
import type { ManagedEntries, ManagedEntry, Manager } from "./managed-entries.ts";
import { writtenFields } from "./typed/compare.ts";
import type { Change } from "./writer.ts";

/** A field that another manager owns. */
export interface Conflict {
  readonly manager: Manager;
  readonly path: readonly PathElement[];
}

/** Changed fields that managers own, except the manager with the identity `self`. */
export function findConflicts(entries: ManagedEntries, change: Change, self: string): Conflict[] {
  const conflicts: Conflict[] = [];
  for (const [identity, entry] of [...entries].sort(byIdentity)) {
    const comparison = identity === self ? undefined : change.at(entry.apiVersion);
    if (comparison === undefined) continue;
    const paths = pathsOf(intersection(entry.fields, writtenFields(comparison)));
    for (const path of paths) conflicts.push({ manager: entry, path });
  }
  return conflicts;
}

function byIdentity([a]: [string, ManagedEntry], [b]: [string, ManagedEntry]): number {
  return a < b ? -1 : 1;
}

export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const told = conflictsToTell(conflicts);
  const causes = told.map(({ manager, field }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${describeManager(manager)}`,
    field,
  }));
  return failure({
    code: 409,
    reason: "Conflict",
    message: describeConflicts(told, conflicts.length),
    details: { causes },
  });
}

interface Told {
  readonly manager: Manager;
  readonly field: string;
}

/** All conflicts, up to the size limit of a message. */
function conflictsToTell(conflicts: readonly Conflict[]): readonly Told[] {
  const told: Told[] = [];
  let chars = 0;
  for (const { manager, path } of conflicts) {
    const field = describePath(path);
    chars += field.length;
    if (told.length > 0 && chars > FINDINGS_CHARS_MAX) break;
    told.push({ manager, field });
  }
  return told;
}

/** Conflicts are sorted by manager, so each manager is one paragraph. */
function describeConflicts(told: readonly Told[], count: number): string {
  const [first] = told;
  if (first !== undefined && count === 1) {
    const where = `${describeManager(first.manager)}: ${first.field}`;
    return `Apply failed with 1 conflict: conflict with ${where}`;
  }
  const lines: string[] = [];
  let last: Manager | undefined;
  for (const { manager, field } of told) {
    if (manager !== last) lines.push(`conflicts with ${describeManager(manager)}:`);
    lines.push(`- ${field}`);
    last = manager;
  }
  if (told.length < count) lines.push("- and more");
  return `Apply failed with ${count} conflicts: ${lines.join("\n")}`;
}

function describeManager({ name, operation, apiVersion, subresource }: Manager): string {
  const where = subresource ? ` with subresource ${goQuote(subresource)}` : "";
  const how = operation === "Update" ? ` using ${apiVersion}` : "";
  return goQuote(name) + where + how;
}
