import type { Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  ClientCertificates,
  certificateHolder,
} from "../../../../src/apiserver/authentication/client-certificate.ts";
import { encodeSubject, type NamePart, OID } from "../../../support/certificate-requests.ts";
import { makeCertificate, type TestCertificate, USAGE } from "../../../support/certificates.ts";

const ca = makeCertificate({ subject: "ca", ca: true });
const leafOf = (subject: Buffer) => makeCertificate({ subject, issuer: ca });

/** A connection as TLS shows it. */
function connection(...[leaf, ...others]: readonly TestCertificate[]) {
  const looks = { count: 0 };
  const shown = others.reduceRight((issuer, { der }) => ({ raw: der, issuerCertificate: issuer }), {});
  const socket = {
    getPeerCertificate() {
      looks.count++;
      return leaf === undefined ? {} : { raw: leaf.der, issuerCertificate: shown };
    },
  } as unknown as Socket; // no more of it is used
  return { socket, looks };
}

/** What a server with these CA certificates makes of a connection. */
function holderOf(chain: readonly TestCertificate[], roots: readonly TestCertificate[] = [ca]) {
  const bundle = roots.map(({ pem }) => pem).join("");
  return certificateHolder(new ClientCertificates(bundle).of(connection(...chain).socket));
}

const part = (oid: string, value: string | Buffer, type: NamePart["type"] = "utf8"): NamePart => ({
  oid,
  type,
  value,
});
const cn = (value: string | Buffer, type?: NamePart["type"]) => part(OID.commonName, value, type);
const o = (value: string | Buffer, type?: NamePart["type"]) => part(OID.organization, value, type);
const uid = (value: string) => part("1.3.6.1.4.1.57683.2", value);

const extra = {
  "authentication.kubernetes.io/credential-id": [expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/)],
};

it.each([
  ["a name and groups", [cn("alice"), o("dev"), o("ops")], { name: "alice", groups: ["dev", "ops"] }],
  ["one group", [cn("alice"), o("dev")], { name: "alice", groups: ["dev"] }],
  ["no group", [cn("alice")], { name: "alice", groups: [] }],
  ["two names: the last counts", [cn("alice"), cn("bob")], { name: "bob", groups: [] }],
  [
    "several parts in one set",
    [[cn("alice"), o("dev")], o("ops")],
    { name: "alice", groups: ["dev", "ops"] },
  ],
  [
    "strings of two bytes a letter",
    [cn("alice", "bmp"), o("dev", "bmp")],
    { name: "alice", groups: ["dev"] },
  ],
  ["Latin-1", [cn("andr\u00e9", "t61")], { name: "andr\u00e9", groups: [] }],
  ["a line break in a group", [cn("alice"), o("dev\nO=ops")], { name: "alice", groups: ["dev\nO=ops"] }],
  ["a uid", [cn("alice"), uid("7")], { name: "alice", uid: "7", groups: [] }],
])("a certificate with %s", (_what, parts, user) => {
  expect(holderOf([leafOf(encodeSubject(...parts))])).toEqual({ ...user, extra });
});

it.each([
  ["with four bytes a letter, which Go does not read", [cn("alice"), o("dev", "universal")]],
  ["with wrong UTF-8", [cn("alice"), o(Buffer.from([0xff]))]],
  ["with two uids", [cn("alice"), uid("7"), uid("8")]],
  ["with an empty uid", [cn("alice"), uid("")]],
])("a certificate %s is refused", (_what, parts) => {
  expect(holderOf([leafOf(encodeSubject(...parts))])).toBe("refused");
});

describe("the chain of a client", () => {
  const mid = makeCertificate({ subject: "mid", issuer: ca, ca: true });
  const other = makeCertificate({ subject: "ca", ca: true });
  const selfSigned = makeCertificate({ subject: "root", keyUsage: 0b1000_0000 });
  const own = (options: Parameters<typeof makeCertificate>[0]) =>
    makeCertificate({ subject: "alice", issuer: ca, ...options });
  const pastMs = Date.now() - 1000;

  it.each<[string, readonly TestCertificate[], readonly TestCertificate[]]>([
    ["of one of several CA certificates", [own({})], [other, ca]],
    ["with an intermediate", [own({ issuer: mid }), mid], [ca]],
    ["whose issuer in the bundle is no root", [own({ issuer: mid })], [mid]],
    ["for clients", [own({ usages: [USAGE.server, USAGE.client] })], [ca]],
    ["that is in the bundle itself", [selfSigned], [selfSigned]],
  ])("%s is valid", (_what, chain, roots) => {
    expect(holderOf(chain, roots)).toMatchObject({ name: expect.stringMatching(/^(alice|root)$/) });
  });

  it.each<[string, readonly TestCertificate[], readonly TestCertificate[]]>([
    ["of another CA of the same name", [own({ issuer: other })], [ca]],
    ["without its intermediate", [own({ issuer: mid })], [ca]],
    ["of an issuer that is no CA", [own({ issuer: selfSigned })], [selfSigned]],
    ["for servers", [own({ usages: [USAGE.server] })], [ca]],
    ["that has expired", [own({ untilMs: pastMs })], [ca]],
    [
      "whose CA has expired",
      [own({ issuer: mid }), mid],
      [makeCertificate({ ...ca, ca: true, untilMs: pastMs })],
    ],
    ["that has signed itself", [selfSigned], [ca]],
  ])("%s is refused", (_what, chain, roots) => {
    expect(holderOf(chain, roots)).toBe("refused");
  });
});

afterEach(() => {
  vi.useRealTimers();
});

it("a certificate expires while its connection lasts", () => {
  const startMs = Date.parse("2030-01-01T00:00:00Z");
  vi.useFakeTimers({ now: startMs });
  const issuer = makeCertificate({ subject: "ca", ca: true });
  const alice = makeCertificate({ subject: "alice", issuer, untilMs: startMs + 10_000 });
  const certificates = new ClientCertificates(issuer.pem);
  const { socket } = connection(alice);
  expect(certificateHolder(certificates.of(socket))).toMatchObject({ name: "alice" });
  vi.advanceTimersByTime(11_000);
  expect(certificateHolder(certificates.of(socket))).toBe("refused");
});

it.each([
  ["without a certificate", []],
  ["whose certificate has no name", [leafOf(encodeSubject(o("dev")))]],
])("a connection %s has no user", (_what, chain) => {
  expect(holderOf(chain)).toBeUndefined();
});

it("a connection without TLS has no user", () => {
  expect(new ClientCertificates(ca.pem).of({} as Socket)).toBeUndefined();
});

it("the certificate of a connection is read once", () => {
  const certificates = new ClientCertificates(ca.pem);
  const { socket, looks } = connection(leafOf(encodeSubject(cn("alice"))));
  expect(certificates.of(socket)).toBe(certificates.of(socket));
  expect(looks.count).toBe(1);
});
