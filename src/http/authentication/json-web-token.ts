// JSON Web Tokens (RFC 7519) signed with ECDSA over P-256, the only kind that is made and taken here:
//
//   base64url({"alg":"ES256","kid":KEY}) . base64url(claims) . base64url(signature of the first two)
import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { isObject, type JsonObject } from "../../meta/json.ts";

/** Longer texts are no tokens of ours. */
const LENGTH_MAX = 16 * 1024;

export interface TokenKey {
  sign(claims: JsonObject): string;
  /** The claims of a token that this key has signed; undefined for any other text. They may have run out. */
  open(token: string): JsonObject | undefined;
}

export function createTokenKey(key: KeyObject): TokenKey {
  const publicKey = createPublicKey(key);
  const kid = createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("base64url");
  const head = encode({ alg: "ES256", kid });
  return {
    sign(claims) {
      const signed = `${head}.${encode(claims)}`;
      const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
      return `${signed}.${signature.toString("base64url")}`;
    },
    open(token) {
      // The head is the same for all tokens, so another algorithm cannot be slipped in.
      if (token.length > LENGTH_MAX || !token.startsWith(`${head}.`)) return undefined;
      const cut = token.lastIndexOf(".");
      const signature = Buffer.from(token.slice(cut + 1), "base64url");
      const signed = Buffer.from(token.slice(0, cut));
      if (!verify("sha256", signed, { key: publicKey, dsaEncoding: "ieee-p1363" }, signature))
        return undefined;
      return decode(token.slice(head.length + 1, cut));
    },
  };
}

const encode = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString("base64url");

function decode(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
