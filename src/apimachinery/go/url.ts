// URLs as Go's net/url parses them: an absolute URI or an absolute path, with the same errors.
import { goQuote } from "./strconv.ts";

export interface Url {
  readonly text: string;
  readonly scheme: string;
  /** With port and brackets. */
  readonly host: string;
  readonly escapedPath: string;
  readonly query: string;
}

class Problem extends Error {}

const UNRESERVED = /[A-Za-z0-9\-_.~]/;
const HOST_LETTERS = /[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"\u0080-\u{10ffff}]/u;
const PATH_KEPT = /[$&+,/:;=@]/;
const PATH_LETTERS = /^[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]%/]*$/;

/** The URL, or the error. */
export const parseUrl = (text: string): Url | string =>
  orProblem(text, () => {
    read(text, true);
    const hash = text.indexOf("#");
    if (hash >= 0) unescapeText(text.slice(hash + 1));
    return read(hash < 0 ? text : text.slice(0, hash), false, text);
  });

/** The error of the text as a request target, which has no fragment; undefined if it is valid. */
export const requestUriProblem = (text: string): string | undefined =>
  orProblem(text, () => void read(text, true));

function orProblem<T>(text: string, work: () => T): T | string {
  try {
    return work();
  } catch (error) {
    if (error instanceof Problem) return `parse ${goQuote(text)}: ${error.message}`;
    throw error;
  }
}

function read(text: string, viaRequest: boolean, whole = text): Url {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\x00-\x1f\x7f]/.test(text)) throw new Problem("net/url: invalid control character in URL");
  if (text === "" && viaRequest) throw new Problem("empty url");
  const plain = { text: whole, scheme: "", host: "", query: "" };
  if (text === "*") return { ...plain, escapedPath: "*" };
  const { scheme, rest: afterScheme } = splitScheme(text);
  const mark = afterScheme.indexOf("?");
  const query = mark < 0 ? "" : afterScheme.slice(mark + 1);
  let rest = mark < 0 ? afterScheme : afterScheme.slice(0, mark);
  if (!rest.startsWith("/")) {
    if (scheme !== "") return { ...plain, scheme, escapedPath: "", query };
    if (viaRequest) throw new Problem("invalid URI for request");
    if (/^[^/]*:/.test(rest)) throw new Problem("first path segment in URL cannot contain colon");
  }
  let host = "";
  if (rest.startsWith("//") && (scheme !== "" || (!viaRequest && !rest.startsWith("///")))) {
    const end = rest.indexOf("/", 2);
    host = readAuthority(end < 0 ? rest.slice(2) : rest.slice(2, end));
    rest = end < 0 ? "" : rest.slice(end);
  }
  return { ...plain, scheme, host, escapedPath: escapePath(rest), query };
}

function splitScheme(text: string): { scheme: string; rest: string } {
  if (text.startsWith(":")) throw new Problem("missing protocol scheme");
  const match = /^([A-Za-z][A-Za-z0-9+\-.]*):/.exec(text);
  return match
    ? { scheme: (match[1] ?? "").toLowerCase(), rest: text.slice(match[0].length) }
    : { scheme: "", rest: text };
}

function readAuthority(authority: string): string {
  const at = authority.lastIndexOf("@");
  if (at >= 0) {
    const user = authority.slice(0, at);
    if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) throw new Problem("net/url: invalid userinfo");
    unescapeText(user);
  }
  return readHost(authority.slice(at + 1));
}

function readHost(host: string): string {
  let port = "";
  if (host.startsWith("[")) {
    const close = host.lastIndexOf("]");
    if (close < 0) throw new Problem("missing ']' in host");
    port = host.slice(close + 1);
  } else if (host.includes(":")) port = host.slice(host.lastIndexOf(":"));
  if (!/^(:\d*)?$/.test(port)) throw new Problem(`invalid port ${goQuote(port)} after host`);
  for (const letter of host.replace(/%[\dA-Fa-f]{2}/g, "")) {
    if (letter === "%")
      throw new Problem(`invalid URL escape ${goQuote(host.slice(host.indexOf("%")).slice(0, 3))}`);
    if (!HOST_LETTERS.test(letter)) throw new Problem(`invalid character ${goQuote(letter)} in host name`);
  }
  const ascii = /%(?!25)[0-7][\dA-Fa-f]/.exec(host)?.[0];
  if (ascii !== undefined) throw new Problem(`invalid URL escape ${goQuote(ascii)}`);
  return unescapeText(host);
}

/** Decodes the %xx escapes. */
function unescapeText(text: string, plusIsSpace = false): string {
  const broken = /%(?![\dA-Fa-f]{2})/.exec(text);
  if (broken) throw new Problem(`invalid URL escape ${goQuote(text.slice(broken.index, broken.index + 3))}`);
  const spaced = plusIsSpace ? text.replaceAll("+", " ") : text;
  return spaced.replace(/(%[\dA-Fa-f]{2})+/g, (run) =>
    Buffer.from(run.replaceAll("%", ""), "hex").toString(),
  );
}

function escapePath(path: string): string {
  const plain = unescapeText(path);
  return PATH_LETTERS.test(path) ? path : escapePlainPath(plain);
}

/** The path without its escapes. */
export const plainPathOf = ({ escapedPath }: Url): string => unescapeText(escapedPath);

/** The request target of the URL: its path and query. */
export const targetOf = ({ escapedPath, query }: Url): string =>
  `${escapedPath || "/"}${query === "" ? "" : `?${query}`}`;

/** Escapes a path as Go does if the URL has no escaped path of its own. */
export function escapePlainPath(plain: string): string {
  let out = "";
  for (const letter of plain) {
    if (UNRESERVED.test(letter) || PATH_KEPT.test(letter)) out += letter;
    else
      for (const byte of Buffer.from(letter)) out += `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return out;
}

/** The absolute path without empty segments, "." and "..", as path.Join("/", path) returns it. */
export function cleanPath(path: string): string {
  const steps: string[] = [];
  for (const step of path.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(step);
  }
  return `/${steps.join("/")}`;
}

/** The host without brackets and port. */
export function hostnameOf({ host }: Url): string {
  const bare = host.replace(/:\d*$/, "");
  return bare.startsWith("[") && bare.endsWith("]") ? bare.slice(1, -1) : bare;
}

export const portOf = ({ host }: Url): string => /:(\d*)$/.exec(host)?.[1] ?? "";

/** All values of the query parameters; malformed ones are left out. */
export function queryOf({ query }: Url): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const pair of query.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    try {
      const key = unescapeText(equals < 0 ? pair : pair.slice(0, equals), true);
      const value = equals < 0 ? "" : unescapeText(pair.slice(equals + 1), true);
      found.set(key, [...(found.get(key) ?? []), value]);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }
  return found;
}
