// A moment, as people of the browser's language write it.

const FORM = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "medium" });

/** Of an RFC 3339 text; what is none is shown as it is. */
export function Moment({ time }: { time: string }) {
  const ms = Date.parse(time);
  return <time dateTime={time}>{Number.isNaN(ms) ? time : FORM.format(ms)}</time>;
}
