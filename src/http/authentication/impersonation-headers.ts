// Impersonate-User, -Uid, -Group (may be repeated) and -Extra-KEY (likewise). They are read from the raw headers, because
// a repeated header is joined with commas elsewhere, and a group's name may hold one.
import type { ImpersonatedUser } from "../../apiserver/api-request.ts";

const PREFIX = "impersonate-";
const EXTRA = "extra-";

/** Whom the request wants to be taken for; undefined when it says nothing of that. Raw headers are name, value, name … */
export function readImpersonation(rawHeaders: readonly string[]): ImpersonatedUser | undefined {
  let name = "";
  let uid = "";
  const groups: string[] = [];
  const extra = new Map<string, string[]>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at] ?? "";
    if (header.length <= PREFIX.length || header[0] === ":" || !startsWithPrefix(header)) continue;
    const value = rawHeaders[at + 1] ?? "";
    const rest = header.slice(PREFIX.length).toLowerCase();
    if (rest === "user") name ||= value;
    else if (rest === "uid") uid ||= value;
    else if (rest === "group") groups.push(value);
    else if (rest.startsWith(EXTRA)) {
      const key = unescapeKey(rest.slice(EXTRA.length));
      extra.set(key, [...(extra.get(key) ?? []), value]);
    }
  }
  if (name === "" && uid === "" && groups.length === 0 && extra.size === 0) return undefined;
  return { name, uid, groups, extra: Object.fromEntries(extra) };
}

const startsWithPrefix = (header: string): boolean => header.slice(0, PREFIX.length).toLowerCase() === PREFIX;

/** Letters that no header name may hold are escaped as in a URL. */
function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
