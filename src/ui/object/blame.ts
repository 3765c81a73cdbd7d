// Finds the revision that last wrote a field, from the changes that the object's history lists per revision.
import { type Field, hasKeys, type Step } from "./fields.ts";

/** A revision in the answer of GET /egret/v1/history. */
export interface Revision {
  readonly resourceVersion: string;
  readonly time?: string;
  /** KEPT: the oldest kept revision; its changes are compacted. */
  readonly type: "KEPT" | "ADDED" | "MODIFIED" | "DELETED";
  readonly by?: readonly { readonly manager: string; readonly operation: string }[];
  readonly changes: readonly { readonly path: string; readonly before?: unknown; readonly after?: unknown }[];
}

/**
 * `revisions` are sorted, oldest first, and end with the revision at which the field has its value. A field that no
 * revision changes was written by the first one, or before it if that is KEPT. Undefined: no revision is known.
 */
export function writtenIn(field: Field, revisions: readonly Revision[]): Revision | undefined {
  const since = revisions.slice(revisions.findLastIndex(({ type }) => type === "DELETED") + 1);
  const last = since.findLast(({ changes }) =>
    changes.some(({ path, after }) => {
      const parts = partsOf(path);
      // A removal at the path itself does not write the present value. A removal below the path changes the field.
      return (after !== undefined || parts.length > field.path.length) && touches(parts, field);
    }),
  );
  return last ?? since[0];
}

type Part = { readonly field: string } | { readonly brackets: string };

/** Parses paths such as "spec.ports[port=80].name", "metadata.labels['a.b/c']" and "spec.rules[0]". */
function partsOf(path: string): Part[] {
  const found = path.matchAll(/\['((?:[^']|'(?!\]))*)'\]|\[([^\]]*)\]|([^.[]+)/g);
  return [...found].map(([, quoted, brackets, plain]) =>
    brackets === undefined ? { field: quoted ?? plain ?? "" } : { brackets },
  );
}

/** A change writes the field if its path equals the field's path, or one of the two is a prefix of the other. */
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

/** Parses list map keys such as "port=80,protocol=TCP". */
const keysIn = (text: string): object =>
  Object.fromEntries(
    text.split(",").map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
