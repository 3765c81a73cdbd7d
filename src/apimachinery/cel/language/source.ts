// The text of an expression with positions, and the format of its issues. Positions count code points, so that the
// marker below a line is aligned with the character in a terminal.

/** A problem at a code point offset; without an offset it concerns the whole expression. */
export interface Issue {
  readonly offset: number | undefined;
  readonly message: string;
}

interface Location {
  readonly line: number; // from 1
  readonly column: number; // from 0
}

const ISSUES_MAX = 100;

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
  const lines = new Map<number, ShownLine>();
  const shown = placed.map(({ message, at }) => describeIssue(source, message, at, lines));
  if (issues.length > ISSUES_MAX) shown.push(`${issues.length - ISSUES_MAX} more errors were truncated`);
  return shown.join("\n");
}

/** A printed line, and the marker of each of its code points. */
interface ShownLine {
  readonly text: string;
  readonly marks: string;
}

/** `lines` caches printed lines: a line may be the whole text and have all issues. */
function describeIssue(
  source: Source,
  message: string,
  at: Location | undefined,
  lines: Map<number, ShownLine>,
): string {
  if (!at) return `ERROR: <input>:-1:0: ${message}`;
  // An empty text has a first line without columns, so there is no marker.
  if (source.text === "") return `ERROR: <input>:${at.line}:${at.column}: ${message}`;
  const shown = lines.get(at.line) ?? shownLine(source.line(at.line));
  lines.set(at.line, shown);
  const marker =
    shown.marks.slice(0, Math.max(at.column, 0)) + (shown.marks[at.column] === WIDE ? "＾" : "^");
  return `ERROR: <input>:${at.line}:${at.column + 1}: ${message}\n | ${shown.text}\n | ${marker}`;
}

function shownLine(line: string): ShownLine {
  const text = line.replaceAll("\t", " ");
  return { text, marks: Array.from(text, (point) => (isWide(point) ? WIDE : ".")).join("") };
}

const WIDE = "．";
const ASCII_MAX = 0x7f;

const isWide = (point: string): boolean => (point.codePointAt(0) ?? 0) > ASCII_MAX;
