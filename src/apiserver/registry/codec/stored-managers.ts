// managedFields of stored objects. An object can have hundreds of managers, of which a write changes one. The other
// entries stay the same objects, so that values derived from them, such as their text, are cached.
import { freezeJson } from "../../../apimachinery/json/json.ts";
import { encodeJson, escapeHtml, type MemberOrder } from "../../../apimachinery/json/json-encode.ts";
import { encodeJsonInTurns } from "../../../apimachinery/json/json-in-turns.ts";
import { memoize } from "../../../apimachinery/meta/memoize.ts";
import type { ManagedFieldsEntry } from "../../../apimachinery/meta/object-meta.ts";
import { yieldIfDue } from "../../../apimachinery/scheduling/event-loop.ts";
import type { KeyValue } from "../../../storage/store.ts";

export const MANAGERS = "managedFields";
/** Below this number of managers nothing is cached: a lookup takes as long as decoding. */
export const MANY_MANAGERS = 16;

const SORTED: MemberOrder = { members: undefined, values: undefined, items: undefined };
/** Texts of frozen entries: those of stored objects, which do not change. */
const knownTexts = memoize((_order: MemberOrder) => new WeakMap<object, string>());

/** Same value as encodeJson, but characters that a Go encoder escapes may be escaped already. */
export function managersText(managers: unknown, order: MemberOrder | undefined): string {
  if (!hasMany(managers)) return encodeJson(managers, order);
  const texts = knownTexts(order ?? SORTED);
  return listOf(
    managers.map((entry) => texts.get(entry) ?? remember(texts, entry, encodeJson(entry, order?.items))),
  );
}

/** The same, with yielding. */
export async function managersTextInTurns(
  managers: unknown,
  order: MemberOrder | undefined,
): Promise<string> {
  if (!hasMany(managers)) return encodeJsonInTurns(managers, order);
  const texts = knownTexts(order ?? SORTED);
  const written: string[] = [];
  for (const entry of managers) {
    const known = texts.get(entry);
    written.push(known ?? remember(texts, entry, await encodeJsonInTurns(entry, order?.items)));
    const pause = known === undefined ? yieldIfDue() : undefined;
    if (pause !== undefined) await pause;
  }
  return listOf(written);
}

const hasMany = (managers: unknown): managers is readonly ManagedFieldsEntry[] =>
  Array.isArray(managers) && managers.length >= MANY_MANAGERS;

const listOf = (texts: readonly string[]): string => `[${texts.join(",")}]`;

/** Caches the text in stored form and flattened: a rope string would be flattened at each use. */
function remember(texts: WeakMap<object, string>, entry: ManagedFieldsEntry, text: string): string {
  if (Object.isFrozen(entry)) texts.set(entry, escapeHtml(text));
  return text;
}

/** Entries by the value that was encoded from them, referenced weakly. */
const writtenManagers = new WeakMap<KeyValue, WeakRef<readonly ManagedFieldsEntry[]>>();

/** Records the entries that a value was encoded from, for reuse when it is decoded. */
export function noteManagers(kv: KeyValue, managers: readonly ManagedFieldsEntry[] | undefined): void {
  if (hasMany(managers)) writtenManagers.set(kv, new WeakRef(managers));
}

/** Replaces newly decoded entries by equal ones that are cached. The entries are not changed afterwards. */
export function reuseEntries(kv: KeyValue, read: unknown): void {
  if (!hasMany(read)) return;
  const written = writtenManagers.get(kv)?.deref();
  const before = written?.length === read.length ? written : []; // it may be stored without them
  const entries: unknown[] = read as unknown[]; // just parsed, and not shared
  for (const [index, entry] of read.entries()) {
    const known = before[index];
    entries[index] = known !== undefined && Object.isFrozen(known) ? known : freezeJson(entry);
  }
}
