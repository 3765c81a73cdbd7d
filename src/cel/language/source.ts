// The text of an expression with its positions, and how problems in it are shown. Positions count code points,
// so that the marker under a line stands where a terminal shows the character.

/** A problem at a code point offset; without an offset it belongs to the expression as a whole. */
export interface Issue {
  readonly offset: number | undefined;
  readonly message: string;
}

interface Location {
  readonly line: number; // from 1
  readonly column: number; // from 0
}

const ISSUES_MAX = 100;
const encoder = new TextEncoder();

export class Source {
  readonly text: string;
  /** One entry per code point. */
  readonly points: readonly string[];
  readonly #lineStarts: number[] = [0];

  constructor(text: string) {
    this.text = text;
    this.points = Array.from(text);
    this.points.forEach((point, index) => {
      if (point === "\n") this.#lineStarts.push(index + 1);
    });
  }

  slice(start: number, end: number): string {
    return this.points.slice(start, end).join("");
  }

  locate(offset: number): Location {
    let line = 0;
    while ((this.#lineStarts[line + 1] ?? Number.POSITIVE_INFINITY) <= offset) line++;
    return { line: line + 1, column: offset - (this.#lineStarts[line] ?? 0) };
  }

  line(number: number): string {
    const start = this.#lineStarts[number - 1] ?? 0;
    const next = this.#lineStarts[number];
    return this.slice(start, next === undefined ? this.points.length : next - 1);
  }
}

/** All problems in reading order, each with its line and a marker, as the reference compiler prints them. */
export function describeIssues(source: Source, issues: readonly Issue[]): string {
  const placed = issues.slice(0, ISSUES_MAX).map((issue) => ({
    message: issue.message,
    at: issue.offset === undefined ? undefined : source.locate(issue.offset),
  }));
  placed.sort(
    (a, b) => (a.at?.line ?? -1) - (b.at?.line ?? -1) || (a.at?.column ?? -1) - (b.at?.column ?? -1), // sort is stable
  );
  const shown = placed.map(({ message, at }) => describeIssue(source, message, at));
  if (issues.length > ISSUES_MAX) shown.push(`${issues.length - ISSUES_MAX} more errors were truncated`);
  return shown.join("\n");
}

function describeIssue(source: Source, message: string, at: Location | undefined): string {
  if (!at) return `ERROR: <input>:-1:0: ${message}`;
  // Nothing has a first line, but no first column, and there is nothing to point at.
  if (source.text === "") return `ERROR: <input>:${at.line}:${at.column}: ${message}`;
  const snippet = source.line(at.line).replaceAll("\t", " ");
  const points = Array.from(snippet);
  let marker = "";
  for (const point of points.slice(0, at.column)) marker += isWide(point) ? "．" : ".";
  const marked = points[at.column];
  marker += marked !== undefined && isWide(marked) ? "＾" : "^";
  return `ERROR: <input>:${at.line}:${at.column + 1}: ${message}\n | ${snippet}\n | ${marker}`;
}

const isWide = (point: string): boolean => encoder.encode(point).length > 1;
