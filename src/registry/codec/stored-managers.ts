// managedFields of stored objects. An object can have hundreds of managers, of which a write changes one: the entries of the
// others are the same objects before and after it, and what was made of them once, such as their text, is still there.
import { freezeJson } from "../../meta/json.ts";
import { encodeJson, escapeHtml, type MemberOrder } from "../../meta/json-encode.ts";
import { encodeJsonInTurns } from "../../meta/json-in-turns.ts";
import type { ManagedFieldsEntry } from "../../meta/object-meta.ts";
import { oncePer } from "../../meta/once-per.ts";
import { pauseForOthers } from "../../meta/turns.ts";
import type { KeyValue } from "../../storage/store.ts";

export const MANAGERS = "managedFields";
/** With fewer of them nothing is noted: to find them again takes as long as to read them. */
export const MANY_MANAGERS = 16;

const SORTED: MemberOrder = { members: undefined, values: undefined, items: undefined };
/** Of entries that are frozen: those of stored objects, which do not change. */
const knownTexts = oncePer((_order: MemberOrder) => new WeakMap<object, string>());

/** What encodeJson gives, but what a Go encoder escapes may be escaped already. */
export function managersText(managers: unknown, order: MemberOrder | undefined): string {
  if (!hasMany(managers)) return encodeJson(managers, order);
  const texts = knownTexts(order ?? SORTED);
  return listOf(
    managers.map((entry) => texts.get(entry) ?? remember(texts, entry, encodeJson(entry, order?.items))),
  );
}

/** The same, in turns. */
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
    const pause = known === undefined ? pauseForOthers() : undefined;
    if (pause !== undefined) await pause;
  }
  return listOf(written);
}

const hasMany = (managers: unknown): managers is readonly ManagedFieldsEntry[] =>
  Array.isArray(managers) && managers.length >= MANY_MANAGERS;

const listOf = (texts: readonly string[]): string => `[${texts.join(",")}]`;

/** As it stands in the stored value, and in one piece: a text that still consists of parts is put together with each use. */
function remember(texts: WeakMap<object, string>, entry: ManagedFieldsEntry, text: string): string {
  if (Object.isFrozen(entry)) texts.set(entry, escapeHtml(text));
  return text;
}

/** By the value that was encoded from them. They go when nobody holds them any more. */
const writtenManagers = new WeakMap<KeyValue, WeakRef<readonly ManagedFieldsEntry[]>>();

/** Those that the value was encoded from: of them it is read again. */
export function noteManagers(kv: KeyValue, managers: readonly ManagedFieldsEntry[] | undefined): void {
  if (hasMany(managers)) writtenManagers.set(kv, new WeakRef(managers));
}

/** Puts the entries that have been read before into what was read now. None of them changes any more. */
export function reuseEntries(kv: KeyValue, read: unknown): void {
  if (!hasMany(read)) return;
  const written = writtenManagers.get(kv)?.deref();
  const before = written?.length === read.length ? written : []; // it may be stored without them
  const entries: unknown[] = read as unknown[]; // just parsed, and nobody else's
  for (const [index, entry] of read.entries()) {
    const known = before[index];
    entries[index] = known !== undefined && Object.isFrozen(known) ? known : freezeJson(entry);
  }
}
