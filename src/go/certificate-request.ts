// Requests for certificates (PKCS #10, RFC 2986) as Go's crypto/x509 reads them, as far as anybody here asks.
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { pemBlocks } from "./pem.ts";

export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** The name of the subject, as it stands in the request. */
  readonly subject: Uint8Array;
  readonly publicKey: KeyObject;
  /** Other names that are asked for: how many of each sort. */
  readonly names: Readonly<Record<"dns" | "email" | "address" | "uri", number>>;
  /** Whether the request was made by whoever has the private key. */
  readonly isSigned: boolean;
}

const SEQUENCE = 0x30;
const ATTRIBUTES = 0xa0;
const COMMON_NAME = "550403";
const ORGANIZATION = "55040a";
const EXTENSION_REQUEST = "2a864886f70d01090e";
const ALTERNATIVE_NAMES = "551d11";
const NAME_TAGS = { email: 0x81, dns: 0x82, uri: 0x86, address: 0x87 };
/** Undefined: the signature says itself what is hashed. */
const HASHES = new Map<string, string | undefined>([
  ["2a864886f70d01010b", "sha256"],
  ["2a864886f70d01010c", "sha384"],
  ["2a864886f70d01010d", "sha512"],
  ["2a8648ce3d040302", "sha256"],
  ["2a8648ce3d040303", "sha384"],
  ["2a8648ce3d040304", "sha512"],
  ["2b6570", undefined],
]);

/** The request in a PEM text, or Go's complaint about it. */
export function parseCertificateRequest(pem: string): CertificateRequest | string {
  const [block] = pemBlocks(pem);
  if (block?.type !== "CERTIFICATE REQUEST") return "PEM block type must be CERTIFICATE REQUEST";
  try {
    return requestOf(block.bytes);
  } catch {
    return "asn1: structure error: malformed certificate request";
  }
}

/** The same of a PEM text in base64, which is how an object holds it. */
export const decodeCertificateRequest = (base64: string): CertificateRequest | string =>
  parseCertificateRequest(Buffer.from(base64, "base64").toString("latin1"));

/** Throws an error where the bytes are no request. */
function requestOf(der: Buffer): CertificateRequest {
  const [whole, ...more] = elementsOf(der);
  if (whole?.tag !== SEQUENCE || more.length > 0) throw new Error("not one sequence");
  const [info, algorithm, signature] = elementsOf(whole.content);
  if (!info || !algorithm || !signature) throw new Error("not signed");
  const [, subject, key, attributes] = elementsOf(info.content);
  if (subject?.tag !== SEQUENCE || key?.tag !== SEQUENCE) throw new Error("no subject or key");
  const publicKey = createPublicKey({ key: key.bytes, format: "der", type: "spki" });
  const [hash] = elementsOf(algorithm.content);
  const id = hash?.content.toString("hex") ?? "";
  return {
    commonName: namesIn(subject, COMMON_NAME).at(-1) ?? "",
    organizations: namesIn(subject, ORGANIZATION),
    subject: subject.bytes,
    publicKey,
    names: countNames(attributes?.tag === ATTRIBUTES ? attributes.content : Buffer.alloc(0)),
    isSigned: HASHES.has(id) && verify(HASHES.get(id), info.bytes, publicKey, signature.content.subarray(1)),
  };
}

interface Element {
  readonly tag: number;
  readonly content: Buffer;
  /** Tag and length as well. */
  readonly bytes: Buffer;
}

/** The elements that the bytes consist of. Throws an error where a length leads beyond them. */
function elementsOf(bytes: Buffer): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const first = bytes.readUInt8(at + 1);
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
    const from = at + 2 + lengthBytes;
    const length = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes);
    const end = from + length;
    if (end > bytes.length) throw new RangeError("an element is cut off");
    elements.push({
      tag: bytes.readUInt8(at),
      content: bytes.subarray(from, end),
      bytes: bytes.subarray(at, end),
    });
    at = end;
  }
  return elements;
}

/** Each part of a name is a set of pairs, nearly always one: which sort, and the text. */
const namesIn = (name: Element, sort: string): string[] =>
  elementsOf(name.content)
    .flatMap(({ content }) => elementsOf(content))
    .map(({ content }) => elementsOf(content))
    .filter(([id]) => id?.content.toString("hex") === sort)
    .map(([, text]) => text?.content.toString("utf8") ?? "");

function countNames(attributes: Buffer): CertificateRequest["names"] {
  const extensions = valuesOf(attributes, EXTENSION_REQUEST).flatMap(({ content }) => elementsOf(content));
  const names = extensions
    .flatMap(({ bytes }) => valuesOf(bytes, ALTERNATIVE_NAMES))
    .flatMap(({ content }) => elementsOf(content));
  const count = (tag: number): number => names.filter((name) => name.tag === tag).length;
  return {
    dns: count(NAME_TAGS.dns),
    email: count(NAME_TAGS.email),
    address: count(NAME_TAGS.address),
    uri: count(NAME_TAGS.uri),
  };
}

/** What the last member of each pair with this name holds; the member between tells whether it is critical. */
const valuesOf = (pairs: Buffer, id: string): Element[] =>
  elementsOf(pairs)
    .map(({ content }) => elementsOf(content))
    .filter(([name]) => name?.content.toString("hex") === id)
    .flatMap((pair) => elementsOf(pair.at(-1)?.content ?? Buffer.alloc(0)));
