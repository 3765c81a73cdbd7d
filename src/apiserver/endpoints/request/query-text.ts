// The query of a URL, parsed as by Go's net/url. Parsing precedes authentication, so its cost is bounded, and no
// text makes the parser throw: an exception costs a hundred times as much as the pair that causes it.

/** As in Go 1.26 (net/url, urlmaxqueryparams): a query with more parameters is treated as empty. */
export const QUERY_PARAMETERS_MAX = 10_000;

/** A plus is a space. A pair with an invalid escape or a semicolon is dropped. */
export function readPairs(text: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  if (hasMore(text, QUERY_PARAMETERS_MAX)) return values;
  for (const pair of text.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const cut = pair.indexOf("=");
    const key = unescapeQuery(cut < 0 ? pair : pair.slice(0, cut));
    const value = unescapeQuery(cut < 0 ? "" : pair.slice(cut + 1));
    if (key === undefined || value === undefined) continue;
    const known = values.get(key);
    if (known) known.push(value);
    else values.set(key, [value]);
  }
  return values;
}

function hasMore(text: string, count: number): boolean {
  let pairs = 1;
  for (let at = text.indexOf("&"); at >= 0; at = text.indexOf("&", at + 1)) if (++pairs > count) return true;
  return false;
}

const WRONG_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
/** Bytes outside of ASCII, which need not be UTF-8. */
const HIGH_ESCAPE = /%[89A-Fa-f]/;

function unescapeQuery(escaped: string): string | undefined {
  const text = escaped.includes("+") ? escaped.split("+").join(" ") : escaped;
  if (!text.includes("%")) return text;
  if (WRONG_ESCAPE.test(text)) return undefined;
  return HIGH_ESCAPE.test(text) ? decodeBytes(text) : decodeURIComponent(text);
}

/** Bytes that are not UTF-8 become U+FFFD. */
function decodeBytes(text: string): string {
  const bytes = Buffer.from(text);
  let to = 0;
  for (let from = 0; from < bytes.length; from++) {
    if (bytes[from] === PERCENT) {
      bytes[to++] = Number.parseInt(bytes.toString("latin1", from + 1, from + 3), 16);
      from += 2;
    } else bytes[to++] = bytes[from] ?? 0;
  }
  return bytes.toString("utf8", 0, to);
}

const PERCENT = 37;
