// Content types as Go's mime.ParseMediaType parses them.

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]*/;
const PARAMETER =
  /^;\s*([!#$%&'*+\-.^_`|~0-9A-Za-z]+)\s*=\s*("(?:[^"\\]|\\.)*"|[!#$%&'*+\-.^_`|~0-9A-Za-z]+)/;

const tokenAt = (text: string): string => TOKEN.exec(text)?.[0] ?? "";

/** The media type in lower case, without parameters. */
export const mediaTypeOf = (contentType: string): string =>
  (contentType.split(";")[0] ?? "").trim().toLowerCase();

/** Go's error for an invalid content type; undefined: it is valid. */
export function mediaTypeError(contentType: string): string | undefined {
  const [base = ""] = contentType.split(";");
  return typeError(mediaTypeOf(contentType)) ?? parametersError(contentType.slice(base.length));
}

function typeError(mediaType: string): string | undefined {
  const type = tokenAt(mediaType);
  if (type === "") return "mime: no media type";
  const rest = mediaType.slice(type.length);
  if (rest === "") return undefined;
  if (!rest.startsWith("/")) return "mime: expected slash after first token";
  const subtype = tokenAt(rest.slice(1));
  if (subtype === "") return "mime: expected token after slash";
  return rest.length > subtype.length + 1 ? "mime: unexpected content after media subtype" : undefined;
}

function parametersError(text: string): string | undefined {
  const values = new Map<string, string>();
  for (let rest = text.trimStart(); rest !== ""; ) {
    const [whole, name = "", given = ""] = PARAMETER.exec(rest) ?? [];
    if (whole === undefined) return rest.trim() === ";" ? undefined : "mime: invalid media parameter";
    const key = name.toLowerCase();
    const value = given.startsWith('"') ? given.slice(1, -1) : given;
    if ((values.get(key) ?? value) !== value) return "mime: duplicate parameter name";
    values.set(key, value);
    rest = rest.slice(whole.length).trimStart();
  }
  return undefined;
}
