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
