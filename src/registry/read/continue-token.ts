// The opaque text with which a chunked list goes on: base64url of {"v":"meta.k8s.io/v1","rv":7,"start":"name\u0000"}.
// rv is the revision whose state all chunks show, or -1 for the present one; start is the first key to come, below the
// prefix of the collection.
import { posix } from "node:path";
import { goJsonType, isObject, type JsonObject } from "../../meta/json.ts";
import { decodeJson, JsonSyntaxError } from "../../meta/json-decode.ts";
import { badRequest, type StatusError } from "../../meta/status.ts";

const TOKEN_VERSION = "meta.k8s.io/v1";

/** Continue in the present state, whatever it is. */
export const ANY_REVISION = -1;

export interface ContinueToken {
  readonly revision: number;
  readonly start: string;
}

export function encodeContinue({ revision, start }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: TOKEN_VERSION, rv: revision, start })).toString("base64url");
}

/** Throws 400 for a text that is no token, in the words of the packages with which a real server reads one. */
export function decodeContinue(text: string): ContinueToken {
  const { v, rv, start } = readToken(decodeBase64(text));
  if (v !== TOKEN_VERSION) throw refusal(` server does not recognize this encoded version ${v}`);
  if (rv === 0) throw refusal(` incorrect encoded start resourceVersion (version ${TOKEN_VERSION})`);
  if (start === "") throw refusal(` encoded start key empty (version ${TOKEN_VERSION})`);
  const key = start.startsWith("/") ? start : `/${start}`;
  if (posix.resolve(key) !== key) throw refusal(` ${start}`); // it could lead out of the collection
  return { revision: rv < 0 ? ANY_REVISION : rv, start: key.slice(1) };
}

function refusal(why: string): StatusError {
  return badRequest(`invalid continue token: continue key is not valid:${why}`);
}

/** Go's RawURLEncoding: no padding, and no single letter at the end. */
function decodeBase64(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8")
    .toString("latin1")
    .replace(/[\r\n]/g, "");
  const odd = bytes.search(/[^\w-]/);
  const wrong = odd < 0 && bytes.length % 4 === 1 ? bytes.length - 1 : odd;
  if (wrong >= 0) throw refusal(` illegal base64 data at input byte ${wrong}`);
  return Buffer.from(bytes, "base64url");
}

interface TokenFields {
  readonly v: string;
  readonly rv: number;
  readonly start: string;
}

function readToken(json: Uint8Array): TokenFields {
  const value = parse(json);
  if (value === null) return { v: "", rv: 0, start: "" };
  if (!isObject(value)) {
    throw refusal(` json: cannot unmarshal ${goJsonType(value)} into Go value of type storage.continueToken`);
  }
  const { v = "", rv = 0, start = "" } = dropNulls(value);
  const misfit = (field: string, given: unknown, wanted: string) => {
    const shown =
      typeof given === "number" && !Number.isInteger(given) ? `number ${given}` : goJsonType(given);
    return refusal(
      ` json: cannot unmarshal ${shown} into Go struct field continueToken.${field} of type ${wanted}`,
    );
  };
  if (typeof v !== "string") throw misfit("v", v, "string");
  if (typeof rv !== "bigint" && !(typeof rv === "number" && Number.isInteger(rv)))
    throw misfit("rv", rv, "int64");
  if (typeof start !== "string") throw misfit("start", start, "string");
  return { v, rv: Number(rv), start };
}

function parse(json: Uint8Array): unknown {
  try {
    return decodeJson(json).value;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw refusal(` ${error.message}`);
  }
}

function dropNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
