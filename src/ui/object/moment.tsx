// Formats a time in the language of the browser.

const FORM = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "medium" });

/** `time` is RFC 3339; other text is shown unchanged. */
export function Moment({ time }: { time: string }) {
  const ms = Date.parse(time);
  return <time dateTime={time}>{Number.isNaN(ms) ? time : FORM.format(ms)}</time>;
}
