// What a server has against a text, at the lines that it means.
import type { ToldStatus } from "../frame/ask.ts";
import { linesOf } from "../frame/yaml-lines.ts";

export interface Finding {
  readonly message: string;
  /** From 0; undefined: no line is meant, or none was found. */
  readonly line: number | undefined;
}

/** The line of a YAML error is in its words. */
const YAML_LINE = /\byaml: line (\d+)/;
/** Unknown and repeated fields are named in quotes, in one sentence for all. */
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

/** A field that is missing has no line, but what should have it may. */
function nearest(lines: readonly string[], field: string): number | undefined {
  const parts = field.split(/[.[](?=[^.[]*$)/);
  const [above] = parts;
  if (parts.length < 2 || above === undefined || above === "") return undefined;
  return linesOf(lines, above)?.from ?? nearest(lines, above);
}
