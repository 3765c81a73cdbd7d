// Corrupted certificate signing requests: any bytes are decoded or rejected with an error of Go's, in a short time. A
// signed certificate names the checked user and groups, for every program that reads it.
import { X509Certificate } from "node:crypto";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { readCertificate } from "../../src/apimachinery/go/x509/certificate.ts";
import {
  type CertificateRequest,
  parseCertificateRequest,
} from "../../src/apimachinery/go/x509/certificate-request.ts";
import { createClientCertificate } from "../../src/apiserver/http/tls/certificate.ts";
import {
  encodeSubject,
  makeRequest,
  type NamePart,
  newKey,
  OID,
  requestPem,
  STRING,
  signRequest,
} from "../support/certificate-requests.ts";
import { makeCertificate } from "../support/certificates.ts";

const MASTERS = "system:masters";
const key = newKey();
const authority = { ...makeCertificate({ subject: "ca", ca: true }), name: "ca" };
const times = { fromMs: Date.now() - 1000, untilMs: Date.now() + 3_600_000 };

const part: fc.Arbitrary<NamePart> = fc.record({
  oid: fc.constantFrom(...Object.values(OID), "2.5.4.11", "2.5.4.17", "2.5.4.42", "1.3.6.1.4.1.57683.2"),
  type: fc.constantFrom(...(Object.keys(STRING) as NamePart["type"][])),
  value: fc.oneof(
    fc.constantFrom(MASTERS, `${MASTERS}\0`, `a,O=${MASTERS}`, `a\nO=${MASTERS}`, `a+O=${MASTERS}`, "alice"),
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
  ),
});
const subject = fc
  .array(fc.oneof(part, fc.array(part, { maxLength: 3 })), { maxLength: 5 })
  .map((parts) => encodeSubject(...parts));

type Change = (bytes: Buffer) => Buffer;
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(fc.nat(4000), fc.nat(255)).map(
    ([at, byte]): Change =>
      (bytes) =>
        Buffer.concat([
          bytes.subarray(0, at % bytes.length),
          Buffer.from([byte]),
          bytes.subarray((at % bytes.length) + 1),
        ]),
  ),
  fc.nat(4000).map(
    (at): Change =>
      (bytes) =>
        bytes.subarray(0, at % bytes.length),
  ),
  fc.tuple(fc.nat(4000), fc.uint8Array({ minLength: 1, maxLength: 6 })).map(
    ([at, more]): Change =>
      (bytes) =>
        Buffer.concat([bytes.subarray(0, at % bytes.length), more, bytes.subarray(at % bytes.length)]),
  ),
);

/** As the approval checks the group and the user of a request; undefined: it is not signed. */
function checked(request: CertificateRequest | string): CertificateRequest | undefined {
  if (typeof request === "string" || request.signatureComplaint !== undefined) return undefined;
  return request.subject.lists.organization.includes(MASTERS) ? undefined : request;
}

function signAndRead(request: CertificateRequest) {
  const { publicKey } = request;
  if (publicKey === undefined) throw new Error("a key that cannot be used has made a signature");
  const pem = createClientCertificate(authority, { ...request, publicKey }, times);
  return new X509Certificate(pem);
}

describe("a request for a certificate with a broken subject", () => {
  test("is refused, or signed for the user and the groups that were checked", () => {
    fc.assert(
      fc.property(subject, fc.array(change, { maxLength: 2 }), (name, changes) => {
        const info = changes.reduce<Buffer>((bytes, each) => each(bytes), name);
        const request = checked(parseCertificateRequest(requestPem(makeRequest(info, { key }))));
        if (request === undefined) return;
        const certificate = signAndRead(request);
        const read = readCertificate(certificate.raw);
        expect(read.name.commonName).toBe(request.subject.commonName);
        expect(new Set(read.name.lists.organization)).toEqual(new Set(request.subject.lists.organization));
        const { subject: legacy } = certificate.toLegacyObject();
        expect([legacy.O].flat()).not.toContain(MASTERS);
      }),
      { numRuns: 1500 },
    );
  });
});

describe("a request for a certificate with broken bytes", () => {
  let original: Buffer;
  beforeAll(() => {
    const names = encodeSubject({ oid: OID.commonName, type: "utf8", value: "alice" });
    const extensions = {
      "2.5.29.17": Buffer.from("300b8209612e6578616d706c65", "hex"),
      "2.5.29.19": Buffer.from("30030101ff", "hex"),
    };
    original = makeRequest(names, { key, extensions });
  });

  test("is read or refused, with the signature over what was changed", () => {
    const bodyOf = (der: Buffer) => der.subarray(4, 4 + 4 + der.readUInt16BE(6));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        const info = changes.reduce<Buffer>((bytes, each) => each(bytes), bodyOf(original));
        const request = parseCertificateRequest(requestPem(signRequest(info, key)));
        if (typeof request === "string")
          expect(request).toMatch(/^(asn1: |x509: |ecdsa: |invalid |P\d+ point)/);
        const signed = checked(request);
        if (signed !== undefined) expect(signAndRead(signed).ca).toBe(false);
      }),
      { numRuns: 1500 },
    );
  });

  test.each([
    ["a length of four gigabytes", "3084ffffffff"],
    ["a length of 127 bytes", `30ff${"01".repeat(127)}`],
    ["an indefinite length", "30800000"],
    ["a length with zeros in front", "3083000001"],
    ["ten thousand levels", "3082".repeat(10_000)],
    ["a tag of many bytes", `3f${"ff".repeat(100)}`],
  ])("%s is refused", (_what, hex) => {
    expect(parseCertificateRequest(requestPem(Buffer.from(hex, "hex")))).toMatch(/^asn1: /);
  });

  test("a subject with ten thousand groups is read and signed", () => {
    const groups = Array.from({ length: 10_000 }, (_, at) => ({
      oid: OID.organization,
      type: "utf8" as const,
      value: `g${at}`,
    }));
    const began = performance.now();
    const request = checked(
      parseCertificateRequest(requestPem(makeRequest(encodeSubject(...groups), { key }))),
    );
    expect(request?.subject.lists.organization).toHaveLength(10_000);
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});
