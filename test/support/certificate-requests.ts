// Certificate signing requests (PKCS #10) with arbitrary subjects, signed with their own keys, including ones that openssl
// refuses to create and an attacker can.
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import {
  bits,
  integer,
  objectIdentifier,
  octets,
  sequence,
  sequenceOf,
  set,
  setOf,
  tagged,
} from "../../src/apimachinery/go/der.ts";

export const OID = { commonName: "2.5.4.3", serialNumber: "2.5.4.5", organization: "2.5.4.10" } as const;

/** Universal tags of string types. */
export const STRING = {
  utf8: 12,
  numeric: 18,
  printable: 19,
  t61: 20,
  ia5: 22,
  visible: 26,
  general: 27,
  universal: 28,
  bmp: 30,
} as const;

export interface NamePart {
  readonly oid: string;
  readonly type: keyof typeof STRING;
  /** Bytes, for a value that is no valid encoding of its type. */
  readonly value: string | Buffer;
}

export const encodeString = (type: keyof typeof STRING, value: string | Buffer): Buffer => {
  const content = typeof value === "string" ? encoded(type, value) : value;
  const element = Buffer.from(octets(content));
  element[0] = STRING[type];
  return element;
};

function encoded(type: keyof typeof STRING, value: string): Buffer {
  if (type === "bmp") return Buffer.from(value, "utf16le").swap16();
  if (type === "universal") {
    const bytes = [...value].map((letter) => [0, 0, 0, letter.charCodeAt(0)]);
    return Buffer.from(bytes.flat());
  }
  return Buffer.from(value, type === "utf8" ? "utf8" : "latin1");
}

const encodePart = ({ oid, type, value }: NamePart): Buffer =>
  sequence(objectIdentifier(oid), encodeString(type, value));

/** Each part in a set of its own; a list of parts shares one set. */
export const encodeSubject = (...parts: readonly (NamePart | readonly NamePart[])[]): Buffer =>
  sequenceOf(parts.map((part) => ("oid" in part ? set(encodePart(part)) : setOf(part.map(encodePart)))));

export interface RequestOptions {
  readonly key?: KeyObject;
  /** Requested extensions, by object identifier. */
  readonly extensions?: Readonly<Record<string, Buffer>>;
}

export const newKey = (): KeyObject => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

/** In DER. */
export function makeRequest(
  subject: Buffer,
  { key = newKey(), extensions = {} }: RequestOptions = {},
): Buffer {
  const list = Object.entries(extensions).map(([id, value]) => sequence(objectIdentifier(id), octets(value)));
  const attribute = sequence(objectIdentifier("1.2.840.113549.1.9.14"), set(sequenceOf(list)));
  const info = sequence(
    integer(Buffer.from([0])),
    subject,
    createPublicKey(key).export({ type: "spki", format: "der" }),
    list.length === 0 ? tagged(0) : tagged(0, attribute),
  );
  return signRequest(info, key);
}

/** Signs these bytes, whatever they contain. */
export function signRequest(info: Buffer, key: KeyObject): Buffer {
  const isRsa = key.asymmetricKeyType === "rsa";
  const algorithm = isRsa
    ? sequence(objectIdentifier("1.2.840.113549.1.1.11"), Buffer.from([5, 0]))
    : sequence(objectIdentifier("1.2.840.10045.4.3.2"));
  return sequence(info, algorithm, bits(sign("sha256", info, key)));
}

export const requestPem = (der: Buffer): string => {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines.join("\n")}\n-----END CERTIFICATE REQUEST-----\n`;
};
