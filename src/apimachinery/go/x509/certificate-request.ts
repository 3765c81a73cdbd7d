// Certificate signing requests (PKCS #10, RFC 2986) as Go's crypto/x509 parses them. A request is parsed once, so the
// values that are validated are the ones that are signed.
import type { KeyObject } from "node:crypto";
import {
  BITS,
  BOOLEAN,
  type Element,
  INTEGER,
  listOf,
  OBJECT_ID,
  OCTETS,
  RAW,
  setListOf,
  struct,
  unmarshal,
} from "../asn1.ts";
import { Asn1Error, syntax } from "../asn1-values.ts";
import { pemBlocks } from "../pem.ts";
import { type AlternativeNames, NO_NAMES, readAlternativeNames } from "./alternative-names.ts";
import { type DistinguishedName, readName } from "./distinguished-name.ts";
import { readPublicKey } from "./public-key.ts";
import { signatureComplaint } from "./signature.ts";

export interface CertificateRequest {
  readonly subject: DistinguishedName;
  /** undefined: of a type that Go cannot use; then the request is not signed either. */
  readonly publicKey: KeyObject | undefined;
  readonly names: AlternativeNames;
  /** Why the request's own signature is invalid (proof of possession); undefined: it is valid. */
  readonly signatureComplaint: string | undefined;
}

const ALGORITHM = struct("AlgorithmIdentifier", OBJECT_ID, { shape: RAW, isOptional: true });
const PUBLIC_KEY = struct("publicKeyInfo", ALGORITHM, BITS);
const ATTRIBUTES = { shape: listOf("", RAW), tag: 0 };
const INFO = struct("tbsCertificateRequest", INTEGER, RAW, PUBLIC_KEY, ATTRIBUTES);
const REQUEST = struct("certificateRequest", INFO, ALGORITHM, BITS);
const ATTRIBUTE = struct("pkcs10Attribute", OBJECT_ID, setListOf("", RAW));
const EXTENSION = struct("Extension", OBJECT_ID, { shape: BOOLEAN, isOptional: true }, OCTETS);
const EXTENSIONS = listOf("", EXTENSION);

const EXTENSION_REQUEST = "2a864886f70d01090e";
const ALTERNATIVE_NAMES = "551d11";

/** The request in a PEM text, or Go's error. */
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

/** The same for PEM in base64, as an object holds it. */
export const decodeCertificateRequest = (base64: string): CertificateRequest | string =>
  parseCertificateRequest(Buffer.from(base64, "base64").toString("latin1"));

/** Throws Asn1Error for bytes that are no request. */
function requestOf(der: Buffer): CertificateRequest {
  const { value, rest } = unmarshal(der, REQUEST);
  if (rest.length > 0) throw syntax("trailing data");
  const [info, algorithm, signature] = value.items as [Element, Element, Element]; // as the shape requires
  const [, subject, key, attributes] = info.items as [Element, Element, Element, Element];
  const publicKey = readPublicKey(key);
  return {
    subject: readName(subject.bytes, { allStrings: false }),
    publicKey,
    names: readNames(attributes.items),
    signatureComplaint: signatureComplaint(
      publicKey,
      { bytes: info.bytes, algorithm, signature },
      { allowSha1: true },
    ),
  };
}

const idOf = ({ items }: Element): string => items[0]?.content.toString("hex") ?? "";

/** The requested names; a repeated extension is rejected. Throws Asn1Error. */
function readNames(attributes: readonly Element[]): AlternativeNames {
  const extensions = attributes.flatMap(extensionsIn);
  const ids = extensions.map(idOf);
  if (new Set(ids).size < ids.length)
    throw new Asn1Error("x509: certificate request contains duplicate requested extensions");
  const found = extensions[ids.indexOf(ALTERNATIVE_NAMES)];
  return found === undefined ? NO_NAMES : readAlternativeNames(found.items[2]?.content ?? Buffer.alloc(0));
}

/** An unreadable attribute is skipped, like one of another type. Throws Asn1Error. */
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
