// An object remembers at most so many managers that update it: the oldest are put together, one entry per version.
import { union } from "./fields/field-set.ts";
import { compareText, identityOf, type ManagedEntries } from "./managed-entries.ts";

const UPDATE_MANAGERS_MAX = 10;
const BUCKET_NAME = "ancient-changes";

/** The entries with the oldest updates merged until the limit holds. */
export function limitUpdateManagers(entries: ManagedEntries): ManagedEntries {
  const updaters = [...entries].filter(([, entry]) => entry.operation === "Update");
  let excess = updaters.length - UPDATE_MANAGERS_MAX;
  if (excess <= 0) return entries;
  updaters.sort(([idA, a], [idB, b]) => compareText(a.time ?? "", b.time ?? "") || compareText(idA, idB));
  const limited: ManagedEntries = new Map(entries);
  const oldestAt = new Map<string, string>();
  for (const [identity, entry] of updaters) {
    if (excess === 0) break;
    const oldest = oldestAt.get(entry.apiVersion);
    if (oldest === undefined) {
      oldestAt.set(entry.apiVersion, identity);
      continue;
    }
    const manager = { ...entry, name: BUCKET_NAME, subresource: "" };
    const bucket = identityOf(manager);
    let merged = limited.get(bucket);
    if (merged === undefined) {
      merged = limited.get(oldest);
      limited.delete(oldest);
    }
    limited.delete(identity);
    limited.set(bucket, {
      ...manager,
      fields: merged === undefined ? entry.fields : union(merged.fields, entry.fields),
      encoded: undefined,
    });
    excess--;
  }
  return limited;
}
