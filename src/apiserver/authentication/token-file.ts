// --token-auth-file: users by token, in the format of kube-apiserver's static token file, one line each:
//
//   token,user,uid,"group1,group2"
import { readFile } from "node:fs/promises";
import type { ApiRequest } from "../endpoints/api-request.ts";

export type UserInfo = ApiRequest["user"];

/** Users by token. The same token always returns the same object. */
export type TokenTable = ReadonlyMap<string, UserInfo>;

/** Tokens or keys that exist but cannot be used. The message is one line for the administrator. */
export class CredentialsError extends Error {}

/** Throws CredentialsError. Of duplicate tokens the last line counts; lines without a token are ignored. */
export function parseTokenFile(text: string, path: string): TokenTable {
  const tokens = new Map<string, UserInfo>();
  for (const [token = "", name = "", uid, groups] of parseCsv(text, path)) {
    if (uid === undefined) {
      throw new CredentialsError(`${path}: each line needs a token, a user name and a uid`);
    }
    if (token === "") continue;
    tokens.set(token, {
      name,
      ...(uid === "" ? {} : { uid }),
      groups: groups === undefined || groups === "" ? [] : groups.split(","),
    });
  }
  return tokens;
}

export async function readTokenFile(path: string): Promise<TokenTable> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw new CredentialsError(`${path} cannot be read`, { cause: error });
  }
  return parseTokenFile(text, path);
}

/** A quoted field, in which a quote is doubled, or a plain one; and its terminator. */
const FIELD = /(?:"((?:[^"]|"")*)"|([^"\n,]*?))(,|\r?\n|\r?$)/y;

/**
 * Comma-separated values (RFC 4180) as Go reads them: empty lines are ignored, and lines may differ in length.
 * Throws CredentialsError.
 */
export function parseCsv(text: string, path: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let line = 1;
  let at = 0;
  while (at < text.length || record.length > 0) {
    FIELD.lastIndex = at;
    const found = FIELD.exec(text);
    if (found === null) throw new CredentialsError(`${path}: line ${line}: ${complaintOf(text.slice(at))}`);
    const [whole, quoted, plain = "", end] = found;
    at += whole.length;
    line += whole.split("\n").length - 1;
    record.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ",") continue;
    if (record.length > 1 || record[0] !== "") records.push(record);
    record = [];
  }
  return records;
}

function complaintOf(field: string): string {
  if (!field.startsWith('"')) return 'bare " in a field that is not quoted';
  return /^"(?:[^"]|"")*"(?!")/.test(field)
    ? "something stands behind a quoted field"
    : "a quoted field has no end";
}
