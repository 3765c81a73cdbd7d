// Conflicts as the answer to who applied: 409 with a cause per field.

import { goQuote } from "../../meta/go-quote.ts";
import { failure, type StatusError } from "../../meta/status.ts";
import { describePath } from "./fields/field-path.ts";
import type { Manager } from "./managed-entries.ts";
import type { Conflict } from "./merge.ts";

export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const causes = conflicts.map(({ manager, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${describeManager(manager)}`,
    field: describePath(path),
  }));
  return failure({
    code: 409,
    reason: "Conflict",
    message: describeConflicts(conflicts),
    details: { causes },
  });
}

/** Conflicts come sorted by manager, so each manager is one paragraph. */
function describeConflicts(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1) {
    const where = `${describeManager(first.manager)}: ${describePath(first.path)}`;
    return `Apply failed with 1 conflict: conflict with ${where}`;
  }
  const lines: string[] = [];
  let last: Manager | undefined;
  for (const { manager, path } of conflicts) {
    if (manager !== last) lines.push(`conflicts with ${describeManager(manager)}:`);
    lines.push(`- ${describePath(path)}`);
    last = manager;
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}

function describeManager({ name, operation, apiVersion, subresource }: Manager): string {
  const where = subresource ? ` with subresource ${goQuote(subresource)}` : "";
  const how = operation === "Update" ? ` using ${apiVersion}` : "";
  return goQuote(name) + where + how;
}
