// Which revision of an object wrote a field last, out of what its history says has changed in each.
import { type Field, hasKeys, type Step } from "./fields.ts";

/** As GET /egret/v1/history tells it. */
export interface Revision {
  readonly resourceVersion: string;
  readonly time?: string;
  /** KEPT: what changed then is forgotten. */
  readonly type: "KEPT" | "ADDED" | "MODIFIED" | "DELETED";
  readonly by?: readonly { readonly manager: string; readonly operation: string }[];
  readonly changes: readonly { readonly path: string; readonly before?: unknown; readonly after?: unknown }[];
}

/**
 * The revisions are up to the one at which the field is so, oldest first. What no revision has changed came with the first one: it
 * made the object, or is the oldest that is known. undefined: no revision is known.
 */
export function writtenIn(field: Field, revisions: readonly Revision[]): Revision | undefined {
  const since = revisions.slice(revisions.findLastIndex(({ type }) => type === "DELETED") + 1);
  const last = since.findLast(({ changes }) =>
    changes.some(({ path, after }) => {
      const parts = partsOf(path);
      // What has gone from a place is nothing that stands there now, but it was a part of what it stood in.
      return (after !== undefined || parts.length > field.path.length) && touches(parts, field);
    }),
  );
  return last ?? since[0];
}

type Part = { readonly field: string } | { readonly brackets: string };

/** "spec.ports[port=80].name", "metadata.labels['a.b/c']", "spec.rules[0]" */
function partsOf(path: string): Part[] {
  const found = path.matchAll(/\['((?:[^']|'(?!\]))*)'\]|\[([^\]]*)\]|([^.[]+)/g);
  return [...found].map(([, quoted, brackets, plain]) =>
    brackets === undefined ? { field: quoted ?? plain ?? "" } : { brackets },
  );
}

/** A change of what the field is in is one of the field, too; and what is in it is a part of it. */
function touches(parts: readonly Part[], { path }: Field): boolean {
  const common = Math.min(parts.length, path.length);
  return path.slice(0, common).every((step, at) => isAt(parts[at], step));
}

function isAt(part: Part | undefined, step: Step): boolean {
  if (part === undefined) return false;
  if ("field" in part) return "field" in step && step.field === part.field;
  if (!("index" in step)) return false;
  if (/^\d+$/.test(part.brackets)) return Number(part.brackets) === step.index;
  return hasKeys(step.item, keysIn(part.brackets));
}

/** "port=80,protocol=TCP" */
const keysIn = (text: string): object =>
  Object.fromEntries(
    text.split(",").map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
