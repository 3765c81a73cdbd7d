// The signing key of ServiceAccount tokens. It is persisted, so that tokens outlive a restart, and is loaded when
// the first such token is issued or verified.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { decodeRawUrl } from "../../apimachinery/go/base64.ts";
import { isObject, type JsonObject } from "../../apimachinery/json/json.ts";
import { createKeyFile, readKeyFile } from "./key-folder.ts";

const FILE = "sa.key";
/** Backup of a seeded key that is no longer in use. */
const SEEDED_FILE = "sa-seeded.key";

/** The PKCS #8 prefix of an Ed25519 private key; its 32 bytes follow (RFC 8410). */
const ED25519_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");

/**
 * Without `folder` the key lasts as long as the process. `bytes` returns the key material for deterministic runs:
 * the key is Ed25519, whose signatures are deterministic too. Absent: a key derived from a public seed must not stay
 * in use, so an Ed25519 key in the folder is moved to a backup. The returned function throws when the file cannot be
 * used.
 */
export function openSigningKey(
  folder: string | undefined,
  bytes?: () => Uint8Array | undefined,
): () => KeyObject {
  let key: KeyObject | undefined;
  const make = () => newKey(bytes?.());
  return () => {
    key ??= folder === undefined ? make() : keptKey(folder, make, bytes !== undefined);
    return key;
  };
}

function newKey(bytes: Uint8Array | undefined): KeyObject {
  if (bytes === undefined) return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  return createPrivateKey({ key: Buffer.concat([ED25519_HEAD, bytes]), format: "der", type: "pkcs8" });
}

function keptKey(folder: string, make: () => KeyObject, maySeeded: boolean): KeyObject {
  const path = join(folder, FILE);
  const text = readKeyFile(path);
  const kept = text === undefined ? undefined : createPrivateKey(text);
  if (kept !== undefined && (maySeeded || !isSeeded(kept))) return kept;
  if (kept !== undefined) renameSync(path, join(folder, SEEDED_FILE));
  const made = make();
  createKeyFile(path, made.export({ type: "pkcs8", format: "pem" }).toString());
  return made;
}

/** Random keys have another type. */
const isSeeded = ({ asymmetricKeyType }: KeyObject): boolean => asymmetricKeyType === "ed25519";

// JSON Web Tokens (RFC 7519):
//
//   base64url({"alg":"ES256","kid":KEY}) . base64url(claims) . base64url(signature of the first two)

/** Longer texts are rejected as tokens. */
const LENGTH_MAX = 16 * 1024;

/** Algorithm of tokens and hash, by key type or curve; Ed25519 has its own hash. */
const ALGORITHMS = new Map<string, readonly [alg: string, hash: string | null]>([
  ["rsa", ["RS256", "sha256"]],
  ["prime256v1", ["ES256", "sha256"]],
  ["secp384r1", ["ES384", "sha384"]],
  ["secp521r1", ["ES512", "sha512"]],
  ["ed25519", ["EdDSA", null]],
]);

const algorithmOf = ({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject) =>
  ALGORITHMS.get((type === "ec" ? details?.namedCurve : type) ?? "");

/** Whether a kube-apiserver can sign tokens with keys of this type. */
export const isTokenKey = (key: KeyObject): boolean =>
  key.asymmetricKeyType !== "ed25519" && algorithmOf(key) !== undefined;

export type TokenKey = ReturnType<typeof createTokenKey>;

/** With a public key tokens can only be verified. */
export function createTokenKey(key: KeyObject) {
  const publicKey = key.type === "private" ? createPublicKey(key) : key;
  const kid = createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("base64url");
  const [alg, hash] = algorithmOf(publicKey) ?? ["", null];
  const head = encode({ alg, kid });
  const form = { dsaEncoding: "ieee-p1363" } as const;
  return {
    kid,
    /** RFC 7517, its members in the order of go-jose. */
    publicJwk: { use: "sig", ...inOrder(publicKey.export({ format: "jwk" }), { kid, alg }) },
    sign(claims: JsonObject): string {
      const signed = `${head}.${encode(claims)}`;
      const signature = sign(hash, Buffer.from(signed), { key, ...form });
      return `${signed}.${signature.toString("base64url")}`;
    },
    /** Verifies the signature of a token; returns go-jose's error, or undefined when it is valid. */
    complaintOf({ header, signed, signature }: TokenParts): string | undefined {
      const named = textOf(header["kid"]);
      if (named !== undefined && named !== kid) return NO_KEY;
      // Only the algorithm of the key is accepted.
      if (header["alg"] !== alg || header["crit"] !== undefined) return NOT_SIGNED;
      return verify(hash, Buffer.from(signed), { key: publicKey, ...form }, signature)
        ? undefined
        : NOT_SIGNED;
    },
  };
}

function inOrder({ kty, crv, x, y, n, e }: JsonWebKey, { kid, alg }: JsonObject): JsonObject {
  const members = { kty, kid, crv, alg, x, y, n, e };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** The iss claim of tokens in Secrets, whatever --service-account-issuer says. */
export const SECRET_TOKEN_ISSUER = "kubernetes/serviceaccount";

export const NO_KEY = "invalid signature, no keys found";
const NOT_SIGNED = "go-jose/go-jose: error in cryptographic primitive";

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

export interface TokenParts {
  readonly header: JsonObject;
  readonly claims: JsonObject;
  readonly signature: Buffer;
  /** The first two parts, which the signature covers. */
  readonly signed: string;
}

/** The parts of a token in the compact form, not verified; undefined for any other text. */
export function splitToken(token: string): TokenParts | undefined {
  if (token.length > LENGTH_MAX || !token.startsWith(OPENING)) return undefined;
  const parts = token.split(".");
  const [first = "", second = "", third = ""] = parts;
  const signature = decodeRawUrl(third);
  if (parts.length !== 3 || signature === undefined) return undefined;
  const [header, claims] = [decode(first), decode(second)];
  if (header === undefined || claims === undefined) return undefined;
  return { header, claims, signature, signed: `${first}.${second}` };
}

/** Of a JSON object in base64url. */
const OPENING = "ey";

const encode = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString("base64url");

function decode(text: string): JsonObject | undefined {
  const bytes = decodeRawUrl(text);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
