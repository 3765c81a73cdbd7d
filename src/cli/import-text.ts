// The result of an import as text.

import { shownInLine } from "../apimachinery/meta/terminal-text.ts";
import type { ImportReport } from "../features/import/report.ts";

export function importText(report: ImportReport): string {
  const {
    objects,
    kinds,
    replaced,
    kept,
    skipped,
    derived,
    namespaces,
    absentOwners,
    redacted,
    hints,
    seconds,
  } = report;
  const lines = [
    `${counted(objects, "object")} imported in ${seconds} s`,
    ...kinds.map(({ resource, count }) => `  ${resource} ${count}`),
    ...some(replaced > 0, `${counted(replaced, "object")} of the server gave way to those of the same names`),
    ...kept.map(({ object, why }) => `kept: ${object}: ${why}`),
    ...skipped.map(
      ({ reason, count, origins }) =>
        `skipped ${count}: ${reason} (${origins.join(", ")}${count > origins.length ? ", …" : ""})`,
    ),
    ...some(derived.length > 0, `definitions were made for objects of unknown kinds: ${derived.join(", ")}`),
    ...some(
      namespaces.made.length > 0,
      `namespaces that had to be made, of whose labels nothing is known: ${namespaces.made.join(", ")}`,
    ),
    ...some(namespaces.missing.length > 0, `namespaces that are not there: ${namespaces.missing.join(", ")}`),
    ...some(
      absentOwners > 0,
      `${counted(absentOwners, "owner")} did not come with what they own: nothing is collected because of them`,
    ),
    ...some(redacted > 0, `${counted(redacted, "Secret")} without values: somebody has taken them out`),
    ...hints.map((hint) => `hint: ${hint}`),
    "resource versions are new; their order is the old one",
  ];
  return lines.map((line) => `${shownInLine(line)}\n`).join("");
}

const some = (is: boolean, line: string): string[] => (is ? [line] : []);
export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`;
