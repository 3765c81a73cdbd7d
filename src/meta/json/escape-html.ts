import { encodeJson } from "../json-encode.ts";

const HTML = /[<>&\u2028\u2029]/;
const ALL_HTML = /[<>&\u2028\u2029]/g;

/**
 * JSON, or a part of it, as a Go encoder writes it: these characters come as escapes, so that the text may stand in a web
 * page. In JSON they can only stand in strings.
 */
export const escapeHtml = (json: string): string =>
  HTML.test(json)
    ? json.replace(ALL_HTML, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : json;

const PLAIN = /^[\w.\-/:]*$/;

/** JSON as Go writes it: keys sorted, and what could end a script in HTML escaped. */
export const encodeGoJson = (value: unknown): string =>
  typeof value === "string" && PLAIN.test(value) ? `"${value}"` : escapeHtml(encodeJson(value));
