// Durations as Go's time.ParseDuration reads them: "5s", "1m30s", "1.5h", "0".

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ["ns", 1e-6],
  ["us", 1e-3],
  ["µs", 1e-3],
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

/** What time.ParseDuration says of a text that is no duration. */
export function durationComplaint(text: string): string {
  const quoted = JSON.stringify(text);
  const rest = text
    .replace(/^[+-]/, "")
    .replace(/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|s|m|h))+(?=[\d.])/, "");
  const [, unit] = /^(?:\d+\.?\d*|\.\d+)([^\d.]*)/.exec(rest) ?? [];
  if (unit === undefined) return `time: invalid duration ${quoted}`;
  if (unit === "") return `time: missing unit in duration ${quoted}`;
  if (UNIT_MS.has(unit)) return `time: invalid duration ${quoted}`;
  return `time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
}

/** Milliseconds; undefined for a text that is no duration. */
export function parseGoDuration(text: string): number | undefined {
  const match = /^([+-]?)((?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/.exec(text);
  if (text === "0" || text === "+0" || text === "-0") return 0;
  if (match === null) return undefined;
  let total = 0;
  for (const [, amount = "0", unit = ""] of text.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)/g)) {
    total += Number.parseFloat(amount) * (UNIT_MS.get(unit) ?? 0);
  }
  return match[1] === "-" ? -total : total;
}
