// An object as the text that people read and edit: YAML as the server writes it, without what only clutters it.
import { ask, askText } from "../frame/ask.ts";
import { type ObjectRef, pathOf } from "../frame/kinds.ts";
import { linesOf } from "../frame/yaml-lines.ts";

/** An update that says nothing of managedFields leaves them as they are. */
export function withoutManagedFields(text: string): string {
  const lines = text.split("\n");
  const found = linesOf(lines, "metadata.managedFields");
  return found ? [...lines.slice(0, found.from), ...lines.slice(found.to)].join("\n") : text;
}

/** The scalar of a field, without quotes; "" where there is none. */
export function scalarAt(text: string, field: string): string {
  const lines = text.split("\n");
  const found = linesOf(lines, field);
  return (found && /:\s+"?([^"]*)"?$/.exec(lines[found.from] ?? "")?.[1]) ?? "";
}

export async function readText(ref: ObjectRef, signal?: AbortSignal): Promise<string> {
  return withoutManagedFields(await askText(pathOf(ref), { signal }));
}

/** What an update would come to. Throws Refused: 409 where somebody has written since the text was read. */
export async function checkText(ref: ObjectRef, text: string): Promise<string> {
  const path = updatePath(ref, { dryRun: "All" });
  // A refusal comes in the form that is asked for; in JSON its causes can be read.
  await ask(path, { method: "PUT", body: text, type: YAML });
  return withoutManagedFields(await askText(path, { method: "PUT", body: text, type: YAML }));
}

/** Throws Refused. */
export async function applyText(ref: ObjectRef, text: string): Promise<void> {
  await ask(updatePath(ref, {}), { method: "PUT", body: text, type: YAML });
}

const YAML = "application/yaml";

const updatePath = (ref: ObjectRef, options: Readonly<Record<string, string>>): string =>
  `${pathOf(ref)}?${new URLSearchParams({ fieldManager: "egret-page", fieldValidation: "Strict", ...options })}`;

/** The text as if it had been read at that version: what others have written since is overwritten. */
export function atVersion(text: string, version: string): string {
  const lines = text.split("\n");
  const found = linesOf(lines, "metadata.resourceVersion");
  if (!found) return text;
  const line = (lines[found.from] ?? "").replace(/:.*/, `: "${version}"`);
  return lines.with(found.from, line).join("\n");
}
