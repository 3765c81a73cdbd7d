// The list of cases that are known to be unequal, with the reason of each. It may only get shorter: a case that is
// not in the list must be equal, and a case that has become equal must leave the list.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CaseOutcome } from "./compare.ts";
import type { FileOutcome } from "./run-file.ts";

const listPath = join(import.meta.dirname, "../known-differences.json");

/** Case file → case name, or a prefix of many names before a slash → the reason in one sentence. */
export type KnownDifferences = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface Verdict {
  /** Unequal and not in the list. */
  readonly unexpected: readonly CaseOutcome[];
  /** Entries of the list for equal cases. */
  readonly nowEqual: readonly string[];
  /** Unequal as listed. */
  readonly known: readonly string[];
}

export function readKnownDifferences(): KnownDifferences {
  return JSON.parse(readFileSync(listPath, "utf8")) as KnownDifferences; // a file of this repository in this form
}

export function writeKnownDifferences(list: KnownDifferences): void {
  writeFileSync(listPath, `${JSON.stringify(list, undefined, 2)}\n`);
}

export function judge({ file, outcomes }: FileOutcome, list: KnownDifferences): Verdict {
  const known = list[file] ?? {};
  const listed = ({ name }: CaseOutcome) => entryOf(known, name);
  const nowEqual = outcomes.filter(({ equal }) => equal).flatMap((outcome) => listed(outcome) ?? []);
  return {
    unexpected: outcomes.filter((outcome) => !outcome.equal && listed(outcome) === undefined),
    nowEqual: [...new Set(nowEqual)],
    known: outcomes
      .filter((outcome) => !outcome.equal && listed(outcome) !== undefined)
      .map(({ name }) => name),
  };
}

/** Returns the entry that covers a case: the case's own, or one for all names with that prefix. */
export function entryOf(known: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.keys(known).find((entry) => name === entry || name.startsWith(`${entry}/`));
}

/** The list without these cases of a file; a file without entries leaves the list as well. */
export function withoutCases(
  list: KnownDifferences,
  file: string,
  names: readonly string[],
): KnownDifferences {
  const gone = new Set(names);
  const kept = Object.entries(list[file] ?? {}).filter(([name]) => !gone.has(name));
  const files = Object.entries(list).map(([name, entries]): [string, Readonly<Record<string, string>>] => [
    name,
    name === file ? Object.fromEntries(kept) : entries,
  ]);
  return Object.fromEntries(files.filter(([, entries]) => Object.keys(entries).length > 0));
}
