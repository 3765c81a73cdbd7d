// Finds the lines of a field in YAML as the server writes it: block style, two spaces per level, list items at the level
// of their key. A field that is not found has no lines.

/** "spec.egress[1].to" → ["spec", "egress", 1, "to"]. Keys in brackets may be quoted. */
export function pathParts(field: string): (string | number)[] {
  const parts: (string | number)[] = [];
  for (const [, name, bracket] of field.matchAll(/([^.[\]]+)|\[([^\]]*)\]/g)) {
    if (name !== undefined) parts.push(name);
    else if (/^\d+$/.test(bracket ?? "")) parts.push(Number(bracket));
    else parts.push((bracket ?? "").replace(/^"(.*)"$/, "$1"));
  }
  return parts;
}

/** Zero-based range, `to` exclusive, of a field with its value. */
export function linesOf(lines: readonly string[], field: string): { from: number; to: number } | undefined {
  let [from, to, indent] = [0, lines.length, 0];
  for (const part of pathParts(field)) {
    const found =
      typeof part === "number" ? itemAt(lines, from, to, part) : keyAt(lines, from, to, part, indent);
    if (!found) return undefined;
    ({ from, to, indent } = found);
  }
  return { from, to };
}

interface Place {
  readonly from: number;
  readonly to: number;
  /** Indentation of the value. */
  readonly indent: number;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** A key of a mapping at that indentation; the first key may follow the dash of a list item. */
function keyAt(
  lines: readonly string[],
  from: number,
  to: number,
  key: string,
  indent: number,
): Place | undefined {
  const written = new Set([key, `"${key}"`, `'${key}'`]);
  for (let index = from; index < to; index++) {
    const line = lines[index] ?? "";
    const text = line.slice(indent);
    const isHere =
      line
        .slice(0, indent)
        .trim()
        .replace(/^(- *)+$/, "") === "" && !text.startsWith(" ");
    const colon = text.search(/:(?: |$)/);
    if (!isHere || colon < 0 || !written.has(text.slice(0, colon))) continue;
    let end = index + 1;
    while (end < to && isWithin(lines[end] ?? "", indent)) end++;
    return { from: index, to: end, indent: indent + 2 };
  }
  return undefined;
}

/** Deeper than its key, or an item of the key's list. */
const isWithin = (line: string, indent: number): boolean =>
  line.trim() === "" ||
  indentOf(line) > indent ||
  (indentOf(line) === indent && /^-( |$)/.test(line.trimStart()));

/** An item of the list under the key at line `from`. */
function itemAt(lines: readonly string[], from: number, to: number, position: number): Place | undefined {
  const first = lines.slice(from + 1, to).find((line) => /^\s*-( |$)/.test(line));
  if (first === undefined) return undefined;
  const indent = indentOf(first);
  const starts: number[] = [];
  for (let index = from + 1; index < to; index++) {
    const line = lines[index] ?? "";
    if (indentOf(line) === indent && /^-( |$)/.test(line.trimStart())) starts.push(index);
  }
  const start = starts[position];
  return start === undefined
    ? undefined
    : { from: start, to: starts[position + 1] ?? to, indent: indent + 2 };
}
