// The opaque text with which a chunked list goes on: base64url of {"v":"meta.k8s.io/v1","rv":7,"start":"name\u0000"}.
// rv is the revision whose state all chunks show, or -1 for the present one; start is the first key to come, below the
// prefix of the collection.
import { isObject } from "../../meta/json.ts";
import { badRequest } from "../../meta/status.ts";

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

/** Throws 400 for a text that is no token. */
export function decodeContinue(text: string): ContinueToken {
  const refuse = (why: string) => badRequest(`continue key is not valid: ${why}`);
  if (!/^[\w-]*={0,2}$/.test(text))
    throw refuse(`illegal base64 data at input byte ${text.search(/[^\w-]/)}`);
  let token: unknown;
  try {
    token = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error));
  }
  if (!isObject(token)) throw refuse("it is no object");
  const { v, rv, start } = token;
  if (v !== TOKEN_VERSION) throw refuse(`server does not recognize this encoded version "${String(v)}"`);
  if (typeof rv !== "number" || !Number.isInteger(rv) || rv === 0)
    throw refuse("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (typeof start !== "string" || start === "")
    throw refuse("encoded start key empty (version meta.k8s.io/v1)");
  if (start.split("/").some((part) => part === "." || part === ".."))
    throw refuse(`${start} attempts to traverse`);
  return { revision: rv, start };
}
