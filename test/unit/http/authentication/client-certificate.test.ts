import type { Socket } from "node:net";
import { afterEach, expect, it, vi } from "vitest";
import { certificateHolder } from "../../../../src/http/authentication/client-certificate.ts";
import { encodeSubject, type NamePart, OID } from "../../../support/certificate-requests.ts";
import { makeCertificate } from "../../../support/certificates.ts";

const UNTIL = "Jan  1 00:00:00 2100 GMT";

/** A connection as TLS shows it. */
function connection(subject: Buffer | undefined, { authorized = true, validTo = UNTIL } = {}) {
  const looks = { count: 0 };
  const certificate = subject && {
    raw: makeCertificate({ subject }).der,
    fingerprint256: "0A:FF:01",
    valid_to: validTo,
  };
  const socket = {
    authorized,
    getPeerCertificate() {
      looks.count++;
      return certificate ?? {};
    },
  } as unknown as Socket; // no more of it is used
  return { socket, looks };
}

const part = (oid: string, value: string | Buffer, type: NamePart["type"] = "utf8"): NamePart => ({
  oid,
  type,
  value,
});
const cn = (value: string | Buffer, type?: NamePart["type"]) => part(OID.commonName, value, type);
const o = (value: string | Buffer, type?: NamePart["type"]) => part(OID.organization, value, type);
const uid = (value: string) => part("1.3.6.1.4.1.57683.2", value);

const extra = { "authentication.kubernetes.io/credential-id": ["X509SHA256=0aff01"] };

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
  expect(certificateHolder(connection(encodeSubject(...parts)).socket)).toEqual({ ...user, extra });
});

it.each([
  ["of another authority", [cn("alice")], { authorized: false }],
  ["with four bytes a letter, which Go does not read", [cn("alice"), o("dev", "universal")], {}],
  ["with wrong UTF-8", [cn("alice"), o(Buffer.from([0xff]))], {}],
  ["with two uids", [cn("alice"), uid("7"), uid("8")], {}],
  ["with an empty uid", [cn("alice"), uid("")], {}],
])("a certificate %s is refused", (_what, parts, options) => {
  expect(certificateHolder(connection(encodeSubject(...parts), options).socket)).toBe("refused");
});

afterEach(() => {
  vi.useRealTimers();
});

it("a certificate expires while its connection lasts", () => {
  vi.useFakeTimers({ now: Date.parse("2030-01-01T00:00:00Z") });
  const { socket } = connection(encodeSubject(cn("alice")), { validTo: "Jan  1 00:00:10 2030 GMT" });
  expect(certificateHolder(socket)).toMatchObject({ name: "alice" });
  vi.advanceTimersByTime(11_000);
  expect(certificateHolder(socket)).toBe("refused");
});

it.each([
  ["without a certificate", undefined],
  ["whose certificate has no name", encodeSubject(o("dev"))],
])("a connection %s has no user", (_what, subject) => {
  expect(certificateHolder(connection(subject).socket)).toBeUndefined();
});

it("a connection without TLS has no user", () => {
  expect(certificateHolder({} as Socket)).toBeUndefined();
});

it("the certificate of a connection is read once", () => {
  const { socket, looks } = connection(encodeSubject(cn("alice")));
  certificateHolder(socket);
  certificateHolder(socket);
  expect(looks.count).toBe(1);
});
