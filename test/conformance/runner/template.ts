// Fills the placeholders of a step: {{a.b.c}} inside a text, or {{=a.b.c}} alone for the value itself.

export type KnownValues = Readonly<Record<string, unknown>>;

const HOLE = /\{\{([\w.-]+)\}\}/g;
const WHOLE_VALUE = /^\{\{=([\w.-]+)\}\}$/;

/** Returns a copy of the value with the placeholders of all texts and member names filled. */
export function fillHoles<T>(value: T, known: KnownValues): T {
  return fill(value, known) as T; // a filled step keeps its form; only texts inside it change
}

function fill(value: unknown, known: KnownValues): unknown {
  if (typeof value === "string") {
    const path = WHOLE_VALUE.exec(value)?.[1];
    return path === undefined
      ? value.replace(HOLE, (_hole, name: string) => String(knownValue(known, name)))
      : knownValue(known, path);
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, known));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [String(fill(name, known)), fill(item, known)]),
  );
}

function knownValue(known: KnownValues, path: string): unknown {
  let value: unknown = known;
  for (const name of path.split(".")) {
    value =
      typeof value === "object" && value !== null && Object.hasOwn(value, name)
        ? (value as KnownValues)[name] // an own member was just found
        : undefined;
  }
  if (value === undefined) throw new Error(`no earlier step gave {{${path}}}`);
  return value;
}
