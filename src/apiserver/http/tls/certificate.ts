// X.509 certificates (RFC 5280) with ECDSA P-256: Egret's own CA, and the certificates that it signs.
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import {
  bits,
  boolean,
  integer,
  objectIdentifier,
  octets,
  sequence,
  set,
  tagged,
  taggedBytes,
  time,
  utf8,
} from "../../../apimachinery/go/der.ts";
import { pemText } from "../../../apimachinery/go/pem.ts";
import {
  type AlternativeNames,
  encodeAlternativeNames,
  NO_NAMES,
} from "../../../apimachinery/go/x509/alternative-names.ts";
import { type DistinguishedName, encodeName } from "../../../apimachinery/go/x509/distinguished-name.ts";
import { parseIp } from "../../../apimachinery/meta/ip.ts";

export interface Certificate {
  readonly pem: string;
  readonly key: KeyObject;
}

export interface CertificateTimes {
  readonly fromMs: number;
  readonly untilMs: number;
}

const ECDSA_SHA256 = sequence(objectIdentifier("1.2.840.10045.4.3.2"));
const COMMON_NAME = "2.5.4.3";
const SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";
const EXTENSION = {
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  extKeyUsage: "2.5.29.37",
};
const SERIAL_BYTES = 16;

/** A CA certificate with a new key. */
export const createAuthority = (name: string, times: CertificateTimes): Certificate =>
  issue(name, times, undefined, (key) => [
    extension("basicConstraints", true, sequence(boolean(true))),
    extension("keyUsage", true, bits(Buffer.from([0b00000110]), 1)), // keyCertSign and cRLSign
    extension("subjectKeyIdentifier", false, octets(keyIdentifier(key))),
  ]);

/** A serving certificate with a new key for these host names and addresses. */
export const createServerCertificate = (
  authority: Issuer,
  name: string,
  hosts: readonly string[],
  times: CertificateTimes,
): Certificate =>
  issue(name, times, authority, (key) => [
    extension("basicConstraints", true, sequence()),
    extension("keyUsage", true, bits(Buffer.from([0b10000000]), 7)), // digitalSignature
    extension("extKeyUsage", false, sequence(objectIdentifier(SERVER_AUTH))),
    extension("subjectAltName", false, sequence(...hosts.map(alternativeName))),
    extension("subjectKeyIdentifier", false, octets(keyIdentifier(key))),
    extension("authorityKeyIdentifier", false, sequence(taggedBytes(0, keyIdentifier(authority.key)))),
  ]);

/** The parts of a certificate request that are signed. */
export interface ClientIdentity {
  readonly subject: DistinguishedName;
  readonly publicKey: KeyObject;
  readonly names?: AlternativeNames;
}

/** Kubernetes key usages that are bits of keyUsage. */
const KEY_USAGE_BITS: ReadonlyMap<string, number> = new Map([
  ["digital signature", 0b1000_0000],
  ["key encipherment", 0b0010_0000],
]);
const KEY_USAGES = [...KEY_USAGE_BITS.keys()];

/** A client certificate for the subject and its public key; never a CA. */
export function createClientCertificate(
  authority: Issuer,
  { subject, publicKey, names = NO_NAMES }: ClientIdentity,
  times: CertificateTimes,
  usages: readonly string[] = KEY_USAGES,
): string {
  const key = publicKey.export({ type: "spki", format: "der" });
  const name = encodeName(subject);
  const hasName = name.length > EMPTY_SEQUENCE_BYTES;
  const alternatives = encodeAlternativeNames(names);
  const hash = createHash("sha256")
    .update(key)
    .update(name)
    .update(alternatives ?? "");
  const serial = hash.update(String(times.fromMs)).digest();
  const usage = usages.reduce((bits, word) => bits | (KEY_USAGE_BITS.get(word) ?? 0), 0);
  const extensions = [
    ...(usage === 0 ? [] : [extension("keyUsage", true, bits(Buffer.from([usage]), trailingZeros(usage)))]),
    extension("extKeyUsage", false, sequence(objectIdentifier(CLIENT_AUTH))),
    extension("basicConstraints", true, sequence()),
    extension("authorityKeyIdentifier", false, sequence(taggedBytes(0, keyIdentifier(authority.key)))),
    ...(alternatives === undefined ? [] : [extension("subjectAltName", !hasName, alternatives)]),
  ];
  return signed(authority, {
    serial: serial.subarray(0, SERIAL_BYTES),
    issuerName: authority.name,
    times,
    subject: name,
    key,
    extensions,
  });
}

const EMPTY_SEQUENCE_BYTES = 2;

const trailingZeros = (byte: number): number => Math.log2(byte & -byte);

interface Issuer {
  readonly name: string;
  readonly key: KeyObject;
}

/** Self-signed without an issuer. */
function issue(
  name: string,
  times: CertificateTimes,
  issuer: Issuer | undefined,
  extensionsOf: (key: KeyObject) => readonly Buffer[],
): Certificate {
  const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const pem = signed(issuer ?? { key }, {
    serial: serialNumber(key),
    issuerName: issuer?.name ?? name,
    times,
    subject: commonName(name),
    key: publicKeyInfo(key),
    extensions: extensionsOf(key),
  });
  return { pem, key };
}

interface Content {
  readonly serial: Uint8Array;
  readonly issuerName: string;
  readonly times: CertificateTimes;
  /** A DER-encoded name. */
  readonly subject: Uint8Array;
  /** The DER-encoded public key of the subject. */
  readonly key: Uint8Array;
  readonly extensions: readonly Buffer[];
}

function signed(
  { key }: Pick<Issuer, "key">,
  { serial, issuerName, times, subject, key: subjectKey, extensions }: Content,
): string {
  const version3 = tagged(0, integer(Buffer.from([2])));
  const content = sequence(
    version3,
    integer(serial),
    ECDSA_SHA256,
    commonName(issuerName),
    sequence(time(times.fromMs), time(times.untilMs)),
    subject,
    subjectKey,
    tagged(3, sequence(...extensions)),
  );
  const signature = sign("sha256", content, key);
  return pemText("CERTIFICATE", sequence(content, ECDSA_SHA256, bits(signature)));
}

function extension(name: keyof typeof EXTENSION, critical: boolean, value: Buffer): Buffer {
  const id = objectIdentifier(EXTENSION[name]);
  return critical ? sequence(id, boolean(true), octets(value)) : sequence(id, octets(value));
}

function commonName(name: string): Buffer {
  return sequence(set(sequence(objectIdentifier(COMMON_NAME), utf8(name))));
}

function alternativeName(host: string): Buffer {
  const address = parseIp(host);
  if (address === undefined) return taggedBytes(2, Buffer.from(host));
  const digits = address.value.toString(16).padStart(address.family === 4 ? 8 : 32, "0");
  return taggedBytes(7, Buffer.from(digits, "hex"));
}

function publicKeyInfo(key: KeyObject): Buffer {
  return createPublicKey(key).export({ type: "spki", format: "der" });
}

/** The serial number is a hash of the public key: every certificate has its own key. */
function serialNumber(key: KeyObject): Buffer {
  return createHash("sha256").update(publicKeyInfo(key)).digest().subarray(0, SERIAL_BYTES);
}

function keyIdentifier(key: KeyObject): Buffer {
  return createHash("sha1").update(publicKeyInfo(key)).digest();
}
