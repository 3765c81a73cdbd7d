// Public keys (SubjectPublicKeyInfo) as Go's crypto/x509 accepts them. A key is rebuilt from the parsed numbers. So
// compressed points, explicit curves, unused bits and trailing bytes of a request are neither used nor signed.
import { createPublicKey, type KeyObject } from "node:crypto";
import { BIG_INTEGER, type Element, OBJECT_ID, rightAligned, struct, unmarshal } from "../asn1.ts";
import { Asn1Error } from "../asn1-values.ts";
import { bits, objectIdentifier, sequence } from "../der.ts";

export type KeyType = "rsa" | "ec" | "ed25519";

const [RSA, EC, ED25519] = ["1.2.840.113549.1.1.1", "1.2.840.10045.2.1", "1.3.101.112"].map(objectIdentifier);
/** The curves that Go knows, with the length of their points. */
const CURVES = new Map(
  (
    [
      ["1.3.132.0.33", "P224", 57],
      ["1.2.840.10045.3.1.7", "P256", 65],
      ["1.3.132.0.34", "P384", 97],
      ["1.3.132.0.35", "P521", 133],
    ] as const
  ).map(([id, name, length]) => [objectIdentifier(id).toString("hex"), { name, length }]),
);
const NULL = Buffer.from([5, 0]);
const UNCOMPRESSED = 4;
const ED25519_BYTES = 32;
const INT64_BYTES = 8;
/** OpenSSL rejects keys with a longer modulus. */
const RSA_BITS_MAX = 16_384;
const RSA_BITS_MIN = 1024;
const RSA_EXPONENT_MAX = 2n ** 31n - 1n;

const RSA_KEY = struct("pkcs1PublicKey", BIG_INTEGER, BIG_INTEGER);

/** The key in an element of algorithm and bits; undefined: of a type that Go cannot use. Throws Asn1Error. */
export function readPublicKey({ items: [algorithm, key] }: Element): KeyObject | undefined {
  const [id, parameters] = algorithm?.items ?? [];
  if (id === undefined || parameters === undefined || key === undefined) return undefined;
  const data = rightAligned(key);
  if (RSA?.equals(id.bytes)) return readRsaKey(parameters.bytes, data);
  if (EC?.equals(id.bytes)) return readEcKey(parameters.bytes, data);
  if (!ED25519?.equals(id.bytes)) return undefined;
  if (parameters.bytes.length > 0) throw new Asn1Error("x509: Ed25519 key encoded with illegal parameters");
  if (data.length !== ED25519_BYTES) throw new Asn1Error("x509: wrong Ed25519 public key size");
  return make(sequence(ED25519), data);
}

function readRsaKey(parameters: Buffer, data: Buffer): KeyObject | undefined {
  if (!parameters.equals(NULL)) throw new Asn1Error("x509: RSA key missing NULL parameters");
  const [modulus, exponent] = rsaNumbers(data);
  if (modulus.length === 0 || isNegative(modulus) || modulus.every((byte) => byte === 0))
    throw new Asn1Error("x509: RSA modulus is not a positive number");
  if (exponent.length > INT64_BYTES) throw new Asn1Error("x509: invalid RSA public exponent");
  if (isNegative(exponent) || numberOf(exponent) === 0n)
    throw new Asn1Error("x509: RSA public exponent is not a positive number");
  const jwk = { kty: "RSA", n: modulus.toString("base64url"), e: exponent.toString("base64url") };
  return keyOrUndefined(() => createPublicKey({ key: jwk, format: "jwk" }));
}

const isNegative = (bytes: Buffer): boolean => (bytes[0] ?? 0) >= 0x80;
const numberOf = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString("hex") || "0"}`);

function rsaNumbers(data: Buffer): readonly [Buffer, Buffer] {
  try {
    const [modulus, exponent] = unmarshal(data, RSA_KEY).value.items as [Element, Element]; // as the shape requires
    return [modulus.content, exponent.content];
  } catch (error) {
    if (error instanceof Asn1Error) throw new Asn1Error("x509: invalid RSA public key", { cause: error });
    throw error;
  }
}

/** Why Go does not verify signatures with this RSA key; undefined: it does. */
export function rsaKeyComplaint(key: KeyObject): string | undefined {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < RSA_BITS_MIN)
    return `crypto/rsa: ${modulusLength}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)`;
  if (modulusLength > RSA_BITS_MAX) return `crypto/rsa: ${modulusLength}-bit keys are not supported`;
  if (publicExponent < 2n) return "crypto/rsa: public exponent too small or negative";
  if (publicExponent % 2n === 0n) return "crypto/rsa: public exponent is even";
  return publicExponent > RSA_EXPONENT_MAX ? "crypto/rsa: public exponent too large" : undefined;
}

function readEcKey(parameters: Buffer, data: Buffer): KeyObject {
  if (!isObjectId(parameters)) throw new Asn1Error("x509: invalid ECDSA parameters");
  const curve = CURVES.get(parameters.toString("hex"));
  if (curve === undefined) throw new Asn1Error("x509: unsupported elliptic curve");
  if (data[0] !== UNCOMPRESSED) throw new Asn1Error("ecdsa: invalid uncompressed public key");
  if (data.length !== curve.length) throw new Asn1Error(`invalid ${curve.name} point encoding`);
  const key = EC && keyOrUndefined(() => make(sequence(EC, parameters), data));
  if (key === undefined) throw new Asn1Error(`${curve.name} point not on curve`);
  return key;
}

function isObjectId(der: Buffer): boolean {
  try {
    return unmarshal(der, OBJECT_ID).value.bytes.length > 0;
  } catch (error) {
    if (error instanceof Asn1Error) return false;
    throw error;
  }
}

const make = (algorithm: Buffer, key: Buffer): KeyObject =>
  createPublicKey({ key: sequence(algorithm, bits(key)), format: "der", type: "spki" });

/** OpenSSL throws if a point is not on its curve. */
function keyOrUndefined(create: () => KeyObject): KeyObject | undefined {
  try {
    return create();
  } catch {
    return undefined;
  }
}
