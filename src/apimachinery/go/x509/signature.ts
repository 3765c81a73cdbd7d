// Verifies signatures of certificates and certificate requests as Go's crypto/x509 does.
import { constants, type KeyObject, verify } from "node:crypto";
import { type Element, rightAligned } from "../asn1.ts";
import { integer, objectIdentifier, sequence, sequenceOf, tagged } from "../der.ts";
import { type KeyType, rsaKeyComplaint } from "./public-key.ts";

interface Algorithm {
  readonly keys: KeyType | "dsa";
  /** undefined: the algorithm implies it. */
  readonly hash: string | undefined;
}

/** By object identifier. */
const ALGORITHMS = new Map<string, Algorithm>(
  (
    [
      ["1.2.840.113549.1.1.4", "rsa", "md5"],
      ["1.2.840.113549.1.1.5", "rsa", "sha1"],
      ["1.3.14.3.2.29", "rsa", "sha1"],
      ["1.2.840.113549.1.1.11", "rsa", "sha256"],
      ["1.2.840.113549.1.1.12", "rsa", "sha384"],
      ["1.2.840.113549.1.1.13", "rsa", "sha512"],
      ["1.2.840.10040.4.3", "dsa", "sha1"],
      ["2.16.840.1.101.3.4.3.2", "dsa", "sha256"],
      ["1.2.840.10045.4.1", "ec", "sha1"],
      ["1.2.840.10045.4.3.2", "ec", "sha256"],
      ["1.2.840.10045.4.3.3", "ec", "sha384"],
      ["1.2.840.10045.4.3.4", "ec", "sha512"],
      ["1.3.101.112", "ed25519", undefined],
    ] as const
  ).map(([id, keys, hash]) => [objectIdentifier(id).toString("hex"), { keys, hash }]),
);

const PSS = objectIdentifier("1.2.840.113549.1.1.10");
const MGF1 = objectIdentifier("1.2.840.113549.1.1.8");
const NULL = Buffer.from([5, 0]);

/** The parameters of RSASSA-PSS that Go accepts, and their hashes: the same hash twice, and a salt of its length. */
const PSS_HASHES = new Map<string, string>(
  (
    [
      ["2.16.840.1.101.3.4.2.1", "sha256", 32],
      ["2.16.840.1.101.3.4.2.2", "sha384", 48],
      ["2.16.840.1.101.3.4.2.3", "sha512", 64],
    ] as const
  ).flatMap(([id, hash, saltBytes]) => {
    const forms = [sequence(objectIdentifier(id), NULL), sequence(objectIdentifier(id))];
    const trailers = [[], [tagged(3, integer(Buffer.from([1])))]];
    return forms.flatMap((own) =>
      forms.flatMap((ofMask) =>
        trailers.map((trailer): [string, string] => {
          const mask = tagged(1, sequence(MGF1, ofMask));
          const salt = tagged(2, integer(Buffer.from([saltBytes])));
          return [sequenceOf([tagged(0, own), mask, salt, ...trailer]).toString("hex"), hash];
        }),
      ),
    );
  }),
);

/** Go's names for the algorithm, its key type, and an invalid signature. */
const WORDS: Readonly<Record<KeyType, readonly [name: string, goType: string, wrong: string]>> = {
  rsa: ["RSA", "*rsa.PublicKey", "crypto/rsa: verification error"],
  ec: ["ECDSA", "*ecdsa.PublicKey", "x509: ECDSA verification failure"],
  ed25519: ["Ed25519", "ed25519.PublicKey", "x509: Ed25519 verification failure"],
};
const UNIMPLEMENTED = "x509: cannot verify signature: algorithm unimplemented";

export interface Signed {
  readonly bytes: Buffer;
  /** Object identifier and parameters. */
  readonly algorithm: Element;
  /** A bit string. */
  readonly signature: Element;
}

export interface SignatureRules {
  /** True for requests, false for certificates. */
  readonly allowSha1: boolean;
}

/** Why the signature of the bytes by this key is invalid; undefined: it is valid. */
export function signatureComplaint(
  key: KeyObject | undefined,
  signed: Signed,
  { allowSha1 }: SignatureRules,
): string | undefined {
  const [id, parameters] = signed.algorithm.items;
  const given = parameters?.bytes ?? NULL;
  const isPss = id !== undefined && PSS.equals(id.bytes);
  const algorithm = isPss ? pssAlgorithm(given) : ALGORITHMS.get(id?.bytes.toString("hex") ?? "");
  if (algorithm === undefined || (algorithm.keys === "ed25519" && given.length > 0)) return UNIMPLEMENTED;
  if (algorithm.hash === "md5" || (algorithm.hash === "sha1" && !allowSha1))
    return `x509: cannot verify signature: insecure algorithm ${goNameOf(algorithm)}`;
  const type = key && keyTypeOf(key);
  if (type === undefined || key === undefined) return UNIMPLEMENTED;
  const [name] = algorithm.keys === "dsa" ? ["DSA"] : WORDS[algorithm.keys];
  const [, goType, wrong] = WORDS[type];
  if (algorithm.keys !== type)
    return `x509: signature algorithm specifies an ${name} public key, but have public key of type ${goType}`;
  const complaint = type === "rsa" ? rsaKeyComplaint(key) : undefined;
  if (complaint !== undefined) return complaint;
  return isSigned(key, signed, algorithm.hash, isPss) ? undefined : wrong;
}

const goNameOf = ({ keys, hash = "" }: Algorithm): string =>
  keys === "rsa" ? `${hash.toUpperCase()}-RSA` : `${keys === "ec" ? "ECDSA" : "DSA"}-${hash.toUpperCase()}`;

function pssAlgorithm(parameters: Buffer): Algorithm | undefined {
  const hash = PSS_HASHES.get(parameters.toString("hex"));
  return hash === undefined ? undefined : { keys: "rsa", hash };
}

function keyTypeOf({ asymmetricKeyType: type }: KeyObject): KeyType | undefined {
  return type === "rsa" || type === "ec" || type === "ed25519" ? type : undefined;
}

/** OpenSSL throws for some keys that it cannot use. */
function isSigned(
  key: KeyObject,
  { bytes, signature }: Signed,
  hash: string | undefined,
  isPss: boolean,
): boolean {
  const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_DIGEST: saltLength } = constants;
  try {
    return verify(hash, bytes, isPss ? { key, padding, saltLength } : key, rightAligned(signature));
  } catch {
    return false;
  }
}
