// JSON Web Tokens (RFC 7519) signed with ECDSA over P-256 or with Ed25519, as the key is:
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
  const isEd25519 = key.asymmetricKeyType === "ed25519";
  const head = encode({ alg: isEd25519 ? "EdDSA" : "ES256", kid });
  const digest = isEd25519 ? null : "sha256"; // Ed25519 has its own
  const form = { dsaEncoding: "ieee-p1363" } as const;
  return {
    sign(claims) {
      const signed = `${head}.${encode(claims)}`;
      const signature = sign(digest, Buffer.from(signed), { key, ...form });
      return `${signed}.${signature.toString("base64url")}`;
    },
    open(token) {
      // The head is the same for all tokens, so another algorithm cannot be slipped in.
      if (token.length > LENGTH_MAX || !token.startsWith(`${head}.`)) return undefined;
      const cut = token.lastIndexOf(".");
      const signature = Buffer.from(token.slice(cut + 1), "base64url");
      const signed = Buffer.from(token.slice(0, cut));
      if (!verify(digest, signed, { key: publicKey, ...form }, signature)) return undefined;
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
