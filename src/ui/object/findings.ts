// Maps the errors of a rejected write to lines of the text.
import type { ToldStatus } from "../frame/ask.ts";
import { linesOf } from "../frame/yaml-lines.ts";

export interface Finding {
  readonly message: string;
  /** Zero-based; undefined: the error names no field, or the field is not found. */
  readonly line: number | undefined;
}

/** YAML errors have the line in the message. */
const YAML_LINE = /\byaml: line (\d+)/;
/** Strict field validation lists all unknown and duplicate fields, quoted, in one message. */
const STRICT = /(?:unknown|duplicate) field "([^"]+)"/g;

export function findingsOf({ message, causes }: ToldStatus, text: string): Finding[] {
  const lines = text.split("\n");
  const at = (field: string): number | undefined => linesOf(lines, field)?.from ?? nearest(lines, field);
  if (causes.length > 0) {
    return causes.map(({ field, message: said }) => ({ message: `${field}: ${said}`, line: at(field) }));
  }
  const strict = [...message.matchAll(STRICT)];
  if (strict.length > 0) return strict.map(([said, field = ""]) => ({ message: said, line: at(field) }));
  const line = YAML_LINE.exec(message)?.[1];
  return [{ message, line: line === undefined ? undefined : Number(line) - 1 }];
}

/** A missing field has no line; the nearest existing parent is used. */
function nearest(lines: readonly string[], field: string): number | undefined {
  const parts = field.split(/[.[](?=[^.[]*$)/);
  const [above] = parts;
  if (parts.length < 2 || above === undefined || above === "") return undefined;
  return linesOf(lines, above)?.from ?? nearest(lines, above);
}
