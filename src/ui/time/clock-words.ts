// Formats times and spans in the language of the browser.

const STAMP = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const AGO = new Intl.RelativeTimeFormat(undefined, { numeric: "always" });

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

export const stampText = (ms: number): string => STAMP.format(ms);
export const dayText = (ms: number): string => DAY.format(ms);

/** "2 minutes ago". */
export function agoText(ms: number, nowMs: number): string {
  const seconds = Math.max(0, Math.round((nowMs - ms) / 1_000));
  for (const [unit, size] of UNITS) if (seconds >= size) return AGO.format(-Math.floor(seconds / size), unit);
  return AGO.format(-seconds, "second");
}
