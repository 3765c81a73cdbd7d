// --token-auth-file: who holds which token, as kube-apiserver's static token file says it, one line each:
//
//   token,user,uid,"group1,group2"
import { readFile } from "node:fs/promises";
import type { ApiRequest } from "../../apiserver/api-request.ts";
import { CsvError, parseCsv } from "./csv.ts";

export type UserInfo = ApiRequest["user"];

/** Users by token. The same token always gives the same object. */
export type TokenTable = ReadonlyMap<string, UserInfo>;

/** A token file that cannot be used, in one line for the person who wrote it. */
export class TokenFileError extends Error {}

/** Throws TokenFileError. Of a token that is given twice the last line counts; lines without one are passed over. */
export function parseTokenFile(text: string, path: string): TokenTable {
  const tokens = new Map<string, UserInfo>();
  for (const [token = "", name = "", uid, groups] of recordsOf(text, path)) {
    if (uid === undefined) {
      throw new TokenFileError(`${path}: each line needs a token, a user name and a uid`);
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
    throw new TokenFileError(`${path} cannot be read`, { cause: error });
  }
  return parseTokenFile(text, path);
}

function recordsOf(text: string, path: string): string[][] {
  try {
    return parseCsv(text);
  } catch (error) {
    if (error instanceof CsvError) throw new TokenFileError(`${path}: ${error.message}`, { cause: error });
    throw error;
  }
}
