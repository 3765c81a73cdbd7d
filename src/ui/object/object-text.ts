// Object as editable YAML, as the server writes it, without managedFields.
import { ask, askText, Refused } from "../frame/ask.ts";
import { type ObjectRef, pathOf } from "../frame/kinds.ts";
import { linesOf } from "../frame/yaml-lines.ts";

/** An update without managedFields leaves them unchanged. */
export function withoutManagedFields(text: string): string {
  const lines = text.split("\n");
  const found = linesOf(lines, "metadata.managedFields");
  return found ? [...lines.slice(0, found.from), ...lines.slice(found.to)].join("\n") : text;
}

/** The scalar value of a field without quotes; "" if there is none. */
export function scalarAt(text: string, field: string): string {
  const lines = text.split("\n");
  const found = linesOf(lines, field);
  return (found && /:\s+"?([^"]*)"?$/.exec(lines[found.from] ?? "")?.[1]) ?? "";
}

export async function readText(ref: ObjectRef, signal?: AbortSignal): Promise<string> {
  return withoutManagedFields(await askText(pathOf(ref), { signal }));
}

/**
 * The object at an earlier revision, from an exact list. Rejects with Refused: 410 after compaction, 404 if the object
 * did not exist.
 */
export async function readTextThen(
  ref: ObjectRef,
  kind: string,
  revision: number,
  signal?: AbortSignal,
): Promise<string> {
  const query = new URLSearchParams({
    ...{ resourceVersion: String(revision), resourceVersionMatch: "Exact" },
    fieldSelector: `metadata.name=${ref.name}`,
  });
  const text = firstItem(await askText(`${pathOf({ ...ref, name: "" })}?${query}`, { signal }));
  const message = `There was no ${kind} ${ref.name} at revision ${revision}.`;
  if (text === undefined) throw new Refused({ code: 404, reason: "NotFound", message, causes: [] });
  if (text.startsWith("apiVersion:")) return withoutManagedFields(text);
  // Lists of built-in kinds have apiVersion and kind on the list alone.
  const apiVersion = [ref.group, ref.version].filter(Boolean).join("/");
  return `apiVersion: ${apiVersion}\nkind: ${kind}\n${withoutManagedFields(text)}`;
}

/** Extracts the first item of a list as a document of its own. */
export function firstItem(list: string): string | undefined {
  const lines = list.split("\n");
  const begin = lines.indexOf("items:") + 1;
  if (begin === 0 || !lines[begin]?.startsWith("- ")) return undefined;
  const length = lines.slice(begin + 1).findIndex((line) => !line.startsWith("  "));
  const own = lines.slice(begin, length < 0 ? undefined : begin + 1 + length);
  return `${own.map((line) => line.slice(2)).join("\n")}\n`;
}

/** The result of an update by dry run. Rejects with Refused: 409 if the object has changed since the text was read. */
export async function checkText(ref: ObjectRef, text: string): Promise<string> {
  const path = updatePath(ref, { dryRun: "All" });
  // A rejection uses the negotiated media type; only a JSON Status can be parsed for its causes.
  await ask(path, { method: "PUT", body: text, type: YAML });
  return withoutManagedFields(await askText(path, { method: "PUT", body: text, type: YAML }));
}

/** Rejects with Refused. */
export async function applyText(ref: ObjectRef, text: string): Promise<void> {
  await ask(updatePath(ref, {}), { method: "PUT", body: text, type: YAML });
}

const YAML = "application/yaml";

const updatePath = (ref: ObjectRef, options: Readonly<Record<string, string>>): string =>
  `${pathOf(ref)}?${new URLSearchParams({ fieldManager: "egret-page", fieldValidation: "Strict", ...options })}`;

/** Replaces the resourceVersion, so that an update overwrites later changes. */
export function atVersion(text: string, version: string): string {
  const lines = text.split("\n");
  const found = linesOf(lines, "metadata.resourceVersion");
  if (!found) return text;
  const line = (lines[found.from] ?? "").replace(/:.*/, `: "${version}"`);
  return lines.with(found.from, line).join("\n");
}
