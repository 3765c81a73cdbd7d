// `egret diff`: compares a cluster in files with the state of a running server. Exit codes are those of kubectl diff.

import { shownInLine } from "../apimachinery/meta/terminal-text.ts";
import { LINES_TYPE } from "../features/control-surface/control-route.ts";
import type { SourceDifference } from "../features/import/diff-report.ts";
import { StartError } from "../server/errors.ts";
import { type Asked, queryOf } from "./ask-server.ts";
import { objectLines } from "./import.ts";
import { print, printDocument } from "./output.ts";
import { readAsked } from "./read-sources.ts";
import { Progress } from "./terminal.ts";

/** Throws UsageError and StartError. */
export async function diff(asked: Asked): Promise<number> {
  using progress = new Progress("read");
  const { objects } = await readAsked(asked, (count) => progress.show(count, 0));
  if (objects.length === 0) throw new StartError("nothing was found to compare with");
  const wants = (name: string) => (asked.isSet(name) ? "true" : undefined);
  const query = queryOf({ secrets: wants("secrets"), recompute: wants("recompute") });
  const body = objectLines(objects, { withSecrets: asked.isSet("secrets") });
  const question = { method: "POST", path: `/diff?${query}`, body, contentType: LINES_TYPE } as const;
  const difference = await asked.json<SourceDifference>(question);
  progress.clear();
  const isJson = asked.text("output") === "json";
  if (isJson) printDocument(`${JSON.stringify(difference, null, 2)}\n`);
  else print(diffText(difference));
  return difference.differs ? 1 : 0;
}

function diffText({ counts, added, removed, changed, decisions, anew, skipped }: SourceDifference): string {
  const lines = [
    ...removed.map((name) => `- ${name}`),
    ...more(counts.removed - removed.length, "-"),
    ...added.map((name) => `+ ${name}`),
    ...more(counts.added - added.length, "+"),
    ...changed.flatMap(({ object, fields }) => [
      `~ ${object}`,
      ...fields.map(({ path, recorded, now }) => `    ${path}: ${valueText(recorded)} → ${valueText(now)}`),
    ]),
    ...more(counts.changed - changed.length, "~"),
    ...decisionLines("decided otherwise than recorded:", decisions),
    ...decisionLines("would be decided anew:", anew),
    ...skipped.map(({ reason, count }) => `not compared ${count}: ${reason}`),
  ];
  return lines.map((line) => `${shownInLine(line)}\n`).join("");
}

const more = (count: number, sign: string): string[] => (count > 0 ? [`${sign} ${count} more`] : []);

function decisionLines(title: string, decisions: SourceDifference["decisions"] | undefined): string[] {
  const { moved = [], services = [] } = decisions ?? {};
  if (moved.length + services.length === 0) return [];
  const way = (from: string, to: string) => `${from || "no node"} → ${to || "no node"}`;
  return [
    title,
    ...moved.flatMap(({ egressIp, address, from, to, why }) => [
      `  egressip ${egressIp}: ${address} ${way(from, to)}`,
      `    ${why}`,
    ]),
    ...services.flatMap(({ egressService, from, to, why }) => [
      `  egressservice ${egressService}: ${way(from, to)}`,
      `    ${why}`,
    ]),
  ];
}

const VALUE_CHARACTERS = 200;

function valueText(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > VALUE_CHARACTERS ? `${text.slice(0, VALUE_CHARACTERS)}…` : text;
}
