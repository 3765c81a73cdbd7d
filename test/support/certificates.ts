// Certificates with any subject, names, times and issuer, with valid signatures. A CA and a leaf use the same function;
// extensions decide the allowed uses.
import { createHash, createPublicKey, type KeyObject, sign } from "node:crypto";
import { isIP } from "node:net";
import {
  bits,
  boolean,
  integer,
  objectIdentifier,
  octets,
  sequence,
  sequenceOf,
  tagged,
  taggedBytes,
  time,
} from "../../src/apimachinery/go/der.ts";
import { encodeAlternativeNames } from "../../src/apimachinery/go/x509/alternative-names.ts";
import { encodeSubject, newKey, OID } from "./certificate-requests.ts";

export interface TestCertificate {
  readonly pem: string;
  readonly der: Buffer;
  readonly key: KeyObject;
  readonly keyPem: string;
  /** In DER. */
  readonly subject: Buffer;
}

export interface CertificateOptions {
  /** A common name, or a name in DER. */
  readonly subject?: string | Buffer;
  /** Omitted: the certificate is self-signed. */
  readonly issuer?: TestCertificate;
  readonly key?: KeyObject;
  /** Names and addresses for subjectAltName; empty: no such extension. */
  readonly hosts?: readonly string[];
  /** The cA flag of basicConstraints; omitted: no such extension. */
  readonly ca?: boolean;
  /** pathLenConstraint: the number of CAs that may follow below a CA. */
  readonly pathLength?: number;
  /** The first byte of keyUsage; omitted: no such extension. */
  readonly keyUsage?: number;
  /** Object identifiers of extended key usages. */
  readonly usages?: readonly string[];
  readonly fromMs?: number;
  readonly untilMs?: number;
}

export const USAGE = { server: "1.3.6.1.5.5.7.3.1", client: "1.3.6.1.5.5.7.3.2" } as const;
const HOUR_MS = 3_600_000;
const ECDSA_SHA256 = sequence(objectIdentifier("1.2.840.10045.4.3.2"));

export function makeCertificate(options: CertificateOptions): TestCertificate {
  const { issuer, key = newKey(), fromMs = Date.now() - HOUR_MS, untilMs = Date.now() + HOUR_MS } = options;
  const { subject: name = "test" } = options;
  const subject =
    typeof name === "string" ? encodeSubject({ oid: OID.commonName, type: "utf8", value: name }) : name;
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" });
  const body = sequence(
    tagged(0, integer(Buffer.from([2]))),
    integer(createHash("sha256").update(publicKey).digest().subarray(0, 8)),
    ECDSA_SHA256,
    issuer?.subject ?? subject,
    sequence(time(fromMs), time(untilMs)),
    subject,
    publicKey,
    tagged(3, sequenceOf(extensionsOf(options))),
  );
  const der = sequence(body, ECDSA_SHA256, bits(sign("sha256", body, issuer?.key ?? key)));
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return {
    pem: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
    der,
    key,
    keyPem: key.export({ type: "pkcs8", format: "pem" }).toString(),
    subject,
  };
}

function extensionsOf({ hosts, ca, pathLength, keyUsage, usages }: CertificateOptions): readonly Buffer[] {
  const extension = (id: string, value: Buffer) => sequence(objectIdentifier(id), octets(value));
  const names = hosts && encodeAlternativeNames(alternativeNames(hosts));
  return [
    ...(ca === undefined ? [] : [extension("2.5.29.19", basicConstraints(ca, pathLength))]),
    ...(keyUsage === undefined ? [] : [extension("2.5.29.15", bits(Buffer.from([keyUsage])))]),
    ...(usages === undefined ? [] : [extension("2.5.29.37", sequenceOf(usages.map(objectIdentifier)))]),
    ...(names === undefined ? [] : [extension("2.5.29.17", names)]),
    extension("1.2.3.4", taggedBytes(0, Buffer.from("any"))),
  ];
}

function basicConstraints(ca: boolean, pathLength: number | undefined): Buffer {
  const length = pathLength === undefined ? [] : [integer(Buffer.from([pathLength]))];
  return sequenceOf([...(ca ? [boolean(true)] : []), ...length]);
}

const alternativeNames = (hosts: readonly string[]) => ({
  dns: hosts.filter((host) => isIP(host) === 0),
  emails: [],
  addresses: hosts.filter((host) => isIP(host) === 4).map((host) => Buffer.from(host.split(".").map(Number))),
  uris: [],
});
