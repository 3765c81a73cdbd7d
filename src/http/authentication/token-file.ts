// --token-auth-file: who holds which token, as kube-apiserver's static token file says it, one line each:
//
//   token,user,uid,"group1,group2"
import { readFile } from "node:fs/promises";
import type { ApiRequest } from "../../apiserver/api-request.ts";

export type UserInfo = ApiRequest["user"];

/** Users by token. The same token always gives the same object. */
export type TokenTable = ReadonlyMap<string, UserInfo>;

/** Tokens or keys that are there but cannot be used, in one line for whoever started the server. */
export class CredentialsError extends Error {}

/** Throws CredentialsError. Of a token that is given twice the last line counts; lines without one are passed over. */
export function parseTokenFile(text: string, path: string): TokenTable {
  const tokens = new Map<string, UserInfo>();
  for (const [token = "", name = "", uid, groups] of recordsOf(text, path)) {
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

function recordsOf(text: string, path: string): string[][] {
  try {
    return parseCsv(text);
  } catch (error) {
    if (error instanceof CsvError) throw new CredentialsError(`${path}: ${error.message}`, { cause: error });
    throw error;
  }
}

// Comma-separated values (RFC 4180) as Go reads them: fields may be quoted, a quote inside is doubled, empty lines are
// passed over, lines may differ in length.

/** A file that cannot be read so; the message names the line. */
export class CsvError extends Error {}

export function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const record: string[] = [];
    for (;;) {
      const [field, end] = text[at] === '"' ? readQuoted(text, at, line) : readPlain(text, at, line);
      record.push(field);
      line += field.split("\n").length - 1;
      at = end;
      if (text[at] !== ",") break;
      at += 1;
    }
    if (text[at] === "\r") at += 1;
    at += 1; // the line's end, or that of the text
    line += 1;
    if (record.length > 1 || record[0] !== "") records.push(record);
  }
  return records;
}

function readPlain(text: string, from: number, line: number): [field: string, end: number] {
  let end = from;
  while (end < text.length && text[end] !== "," && text[end] !== "\n") end += 1;
  const field = text.slice(from, end);
  if (field.includes('"')) throw new CsvError(`line ${line}: bare " in a field that is not quoted`);
  return text[end] === "," || !field.endsWith("\r") ? [field, end] : [field.slice(0, -1), end - 1];
}

function readQuoted(text: string, from: number, line: number): [field: string, end: number] {
  let field = "";
  let at = from + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) throw new CsvError(`line ${line}: a quoted field has no end`);
    field += text.slice(at, quote);
    at = quote + 1;
    if (text[at] !== '"') break;
    field += '"';
    at += 1;
  }
  const rest = text.slice(at, at + 2);
  if (rest !== "" && !/^(?:,|\n|\r\n)/.test(rest) && rest !== "\r")
    throw new CsvError(`line ${line}: something stands behind a quoted field`);
  return [field, at];
}
