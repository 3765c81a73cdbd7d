// `egret history`: the revisions of one object as text.

import { encodeJson } from "../apimachinery/json/json-encode.ts";
import { shownInLine } from "../apimachinery/meta/terminal-text.ts";
import type { ChangedField } from "../features/history/field-changes.ts";
import type { ObjectHistory, ObjectRevision } from "../features/history/history-keeper.ts";
import { UsageError } from "../server/errors.ts";
import { type Asked, queryOf } from "./ask-server.ts";
import { printDocument } from "./output.ts";

const VALUE_LENGTH_MAX = 200;

/** Throws UsageError and StartError. */
export async function history(asked: Asked): Promise<void> {
  const [resource, name, ...more] = asked.words;
  if (resource === undefined || name === undefined || more.length > 0)
    throw new UsageError("say of which object: egret history KIND NAME");
  const at = asked.text("at");
  const path = [at === undefined ? "history" : "objects", resource, name].map(encodeURIComponent).join("/");
  const question = `/${path}?${queryOf({ namespace: asked.text("namespace"), resourceVersion: at })}`;
  if (at === undefined) await asked.print(question, historyText);
  else printDocument(await asked.ask(question));
}

/** The revision of an empty store: nothing before it can be compacted. */
const FIRST_REVISION = "1";

const forgotten = (oldest: string): string => `; what was before revision ${oldest} is forgotten`;

/** One line per revision, followed by one line per changed field. */
function historyText(history: ObjectHistory): string {
  const { apiVersion, kind, namespace, name, oldestRevision, leftOut, revisions } = history;
  const where = namespace === "" ? name : `${namespace}/${name}`;
  const lines = [
    `${kind} ${where} (${apiVersion})${oldestRevision === FIRST_REVISION ? "" : forgotten(oldestRevision)}`,
    ...(leftOut > 0 ? ["", `(${leftOut} older revisions are left out)`] : []),
    ...revisions.flatMap((revision) => ["", headOf(revision), ...revision.changes.map(changeText)]),
    "",
  ];
  return lines.map(shownInLine).join("\n");
}

function headOf({ resourceVersion, type, time, by, request }: ObjectRevision): string {
  const managers = by.map(({ manager, operation, subresource }) => {
    const how = [operation, subresource].filter(Boolean).join(" ");
    return how === "" ? manager : `${manager} (${how})`;
  });
  const asker = request ? [`${request.verb} by ${request.user}, ${request.userAgent}`] : [];
  const parts = [resourceVersion, type, time ?? "", managers.join(", "), ...asker];
  return parts.filter((part) => part !== "").join("  ");
}

function changeText({ path, before, after }: ChangedField): string {
  if (before === undefined) return `    ${path} = ${valueText(after)}`;
  if (after === undefined) return `    ${path} taken away, was ${valueText(before)}`;
  return `    ${path}: ${valueText(before)} → ${valueText(after)}`;
}

function valueText(value: unknown): string {
  const text = encodeJson(value);
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text;
}
