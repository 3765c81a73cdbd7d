// Requests for certificates (PKCS #10, RFC 2986) as Go's crypto/x509 reads them, as far as anybody here asks.
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import {
  ANY,
  Asn1Error,
  BITS,
  BOOLEAN,
  type Element,
  INTEGER,
  OBJECT_ID,
  OCTETS,
  RAW,
  sequenceOf,
  setOf,
  struct,
  syntax,
  unmarshal,
} from "./asn1.ts";
import { pemBlocks } from "./pem.ts";

export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** The name of the subject, as it stands in the request. */
  readonly subject: Uint8Array;
  readonly publicKey: KeyObject;
  /** Other names that are asked for: how many of each sort. */
  readonly names: Readonly<Record<"dns" | "email" | "address" | "uri", number>>;
  /** What keeps it from being signed by whoever has the private key; undefined: it is. */
  readonly signatureComplaint: string | undefined;
}

const ALGORITHM = struct("AlgorithmIdentifier", OBJECT_ID, { shape: RAW, isOptional: true });
const PUBLIC_KEY = struct("publicKeyInfo", ALGORITHM, BITS);
const ATTRIBUTES = { shape: sequenceOf("", RAW), tag: 0 };
const INFO = struct("tbsCertificateRequest", INTEGER, RAW, PUBLIC_KEY, ATTRIBUTES);
const REQUEST = struct("certificateRequest", INFO, ALGORITHM, BITS);
const ATTRIBUTE = struct("pkcs10Attribute", OBJECT_ID, setOf("", RAW));
const EXTENSION = struct("Extension", OBJECT_ID, { shape: BOOLEAN, isOptional: true }, OCTETS);
const EXTENSIONS = sequenceOf("", EXTENSION);
const NAME_PART = struct("AttributeTypeAndValue", OBJECT_ID, ANY);
const NAME = sequenceOf("RDNSequence", setOf("RelativeDistinguishedNameSET", NAME_PART));

const COMMON_NAME = "550403";
const ORGANIZATION = "55040a";
const EXTENSION_REQUEST = "2a864886f70d01090e";
const ALTERNATIVE_NAMES = "551d11";
const NAME_TAGS = { email: 0x81, dns: 0x82, uri: 0x86, address: 0x87 };

type KeyType = "rsa" | "ec" | "ed25519";
const KEY_TYPES = new Map<string, KeyType>([
  ["2a864886f70d010101", "rsa"],
  ["2a8648ce3d0201", "ec"],
  ["2b6570", "ed25519"],
]);
/** By its object identifier: what is signed with, and what is hashed; undefined: the signature says that itself. */
const SIGNATURES = new Map<string, readonly [KeyType, hash?: string]>([
  ["2a864886f70d010105", ["rsa", "sha1"]],
  ["2a864886f70d01010b", ["rsa", "sha256"]],
  ["2a864886f70d01010c", ["rsa", "sha384"]],
  ["2a864886f70d01010d", ["rsa", "sha512"]],
  ["2a8648ce3d0401", ["ec", "sha1"]],
  ["2a8648ce3d040302", ["ec", "sha256"]],
  ["2a8648ce3d040303", ["ec", "sha384"]],
  ["2a8648ce3d040304", ["ec", "sha512"]],
  ["2b6570", ["ed25519"]],
]);
const MD5_WITH_RSA = "2a864886f70d010104";

/** As Go calls the algorithm, the type of its keys, and a signature that is wrong. */
const WORDS: Readonly<Record<KeyType, readonly [name: string, goType: string, wrong: string]>> = {
  rsa: ["RSA", "*rsa.PublicKey", "crypto/rsa: verification error"],
  ec: ["ECDSA", "*ecdsa.PublicKey", "x509: ECDSA verification failure"],
  ed25519: ["Ed25519", "ed25519.PublicKey", "x509: Ed25519 verification failure"],
};
const UNIMPLEMENTED = "x509: cannot verify signature: algorithm unimplemented";

/** The request in a PEM text, or Go's complaint about it. */
export function parseCertificateRequest(pem: string): CertificateRequest | string {
  const [block] = pemBlocks(pem);
  if (block?.type !== "CERTIFICATE REQUEST") return "PEM block type must be CERTIFICATE REQUEST";
  try {
    return requestOf(block.bytes);
  } catch (error) {
    if (error instanceof Asn1Error) return error.message;
    throw error;
  }
}

/** The same of a PEM text in base64, which is how an object holds it. */
export const decodeCertificateRequest = (base64: string): CertificateRequest | string =>
  parseCertificateRequest(Buffer.from(base64, "base64").toString("latin1"));

/** Throws Asn1Error where the bytes are no request. */
function requestOf(der: Buffer): CertificateRequest {
  const { value, rest } = unmarshal(der, REQUEST);
  if (rest.length > 0) throw syntax("trailing data");
  const [info, algorithm, signature] = value.items as [Element, Element, Element]; // as the shape says
  const [, subject, key, attributes] = info.items as [Element, Element, Element, Element];
  const publicKey = publicKeyOf(key);
  const name = unmarshal(subject.bytes, NAME).value;
  const texts = (sort: string): string[] =>
    name.items.flatMap(({ items }) => items).flatMap((part) => (idOf(part) === sort ? textOf(part) : []));
  return {
    commonName: texts(COMMON_NAME).at(-1) ?? "",
    organizations: texts(ORGANIZATION),
    subject: subject.bytes,
    publicKey,
    names: countNames(attributes.items),
    signatureComplaint: signatureComplaintOf(
      idOf(algorithm),
      publicKey,
      info.bytes,
      signature.content.subarray(1),
    ),
  };
}

/** The object identifier that a struct begins with. */
const idOf = ({ items }: Element): string => items[0]?.content.toString("hex") ?? "";
const textOf = ({ items }: Element): string => items[1]?.content.toString("utf8") ?? "";

/** Go keeps a request with a key that it does not know; here there is nothing that could be done with it. */
function publicKeyOf(key: Element): KeyObject {
  const [algorithm] = key.items;
  const type = KEY_TYPES.get(algorithm ? idOf(algorithm) : "");
  let made: KeyObject;
  try {
    made = createPublicKey({ key: key.bytes, format: "der", type: "spki" });
  } catch {
    throw new Asn1Error(keyComplaint(type, algorithm?.items[1]));
  }
  const curve = made.asymmetricKeyDetails?.namedCurve;
  if (curve === undefined || CURVES.includes(curve)) return made;
  throw new Asn1Error("x509: unsupported elliptic curve");
}

/** Those that Go knows, as OpenSSL calls them. */
const CURVES = ["secp224r1", "prime256v1", "secp384r1", "secp521r1"];

const NULL = "0500";

function keyComplaint(type: KeyType | undefined, parameters: Element | undefined): string {
  const given = parameters?.bytes.toString("hex") ?? "";
  switch (type) {
    case "rsa":
      return given === NULL ? "x509: invalid RSA public key" : "x509: RSA key missing NULL parameters";
    case "ec":
      return given.startsWith("06")
        ? "x509: failed to unmarshal elliptic curve point"
        : "x509: invalid ECDSA parameters";
    case "ed25519":
      return given === ""
        ? "x509: wrong Ed25519 public key size"
        : "x509: Ed25519 key encoded with illegal parameters";
    default:
      return UNIMPLEMENTED;
  }
}

function signatureComplaintOf(
  id: string,
  key: KeyObject,
  signed: Buffer,
  signature: Buffer,
): string | undefined {
  if (id === MD5_WITH_RSA) return "x509: cannot verify signature: insecure algorithm MD5-RSA";
  const [type, hash] = SIGNATURES.get(id) ?? [];
  const have = [...KEY_TYPES.values()].find((known) => known === key.asymmetricKeyType);
  if (type === undefined || have === undefined) return UNIMPLEMENTED;
  if (type !== have)
    return `x509: signature algorithm specifies an ${WORDS[type][0]} public key, but have public key of type ${WORDS[have][1]}`;
  return verify(hash, signed, key, signature) ? undefined : WORDS[type][2];
}

/** Throws Asn1Error. */
function countNames(attributes: readonly Element[]): CertificateRequest["names"] {
  const extensions = attributes.flatMap(extensionsIn);
  if (new Set(extensions.map(idOf)).size < extensions.length)
    throw new Asn1Error("x509: certificate request contains duplicate requested extensions");
  const names = extensions
    .filter((extension) => idOf(extension) === ALTERNATIVE_NAMES)
    .flatMap(({ items }) => unmarshal(items[2]?.content ?? Buffer.alloc(0), sequenceOf("", RAW)).value.items);
  const count = (tag: number): number => names.filter((name) => name.tag === tag).length;
  return {
    dns: count(NAME_TAGS.dns),
    email: count(NAME_TAGS.email),
    address: count(NAME_TAGS.address),
    uri: count(NAME_TAGS.uri),
  };
}

/** An attribute that cannot be read is passed over, as one about something else is. Throws Asn1Error. */
function extensionsIn({ bytes }: Element): readonly Element[] {
  const attribute = readable(bytes);
  const [first] = attribute?.items[1]?.items ?? [];
  if (!attribute || idOf(attribute) !== EXTENSION_REQUEST || !first) return [];
  return unmarshal(first.bytes, EXTENSIONS).value.items;
}

function readable(bytes: Buffer): Element | undefined {
  try {
    return unmarshal(bytes, ATTRIBUTE).value;
  } catch (error) {
    if (error instanceof Asn1Error) return undefined;
    throw error;
  }
}
