import { describe, expect, test } from "vitest";
import { readCertificate } from "../../../../../src/apimachinery/go/x509/certificate.ts";
import { hostComplaint } from "../../../../../src/apiserver/http/tls/host-names.ts";
import { verifyServerChain } from "../../../../../src/apiserver/http/tls/verify-server.ts";
import {
  type CertificateOptions,
  makeCertificate,
  type TestCertificate,
  USAGE,
} from "../../../../support/certificates.ts";

// The errors are those of Go 1.26's x509.Certificate.Verify for the same certificates.
const HOUR_MS = 3_600_000;
const NOW = Date.now();
const HOST = "127.0.0.1";

const ca = makeCertificate({ subject: "ca", ca: true });
const leaf = (options: CertificateOptions = {}) =>
  makeCertificate({ subject: "leaf", hosts: [HOST], issuer: ca, ...options });

const read = ({ der }: TestCertificate) => readCertificate(der);

function errorOf(
  [first, ...sent]: readonly [TestCertificate, ...TestCertificate[]],
  roots: readonly TestCertificate[],
  host = HOST,
): string | undefined {
  const chain = {
    leaf: read(first),
    intermediates: sent.map(read),
    roots: roots.map(read),
    host,
    nowMs: NOW,
  };
  const verdict = verifyServerChain(chain);
  return "error" in verdict ? verdict.error : undefined;
}

describe("a server's chain", () => {
  const mid = makeCertificate({ subject: "mid", issuer: ca, ca: true });
  const noAuthority = makeCertificate({ subject: "no authority", issuer: ca, ca: false });
  const selfSigned = makeCertificate({ subject: "self", hosts: [HOST] });
  const forCertificates = 0b0000_0110;

  test.each<[string, readonly [TestCertificate, ...TestCertificate[]], readonly TestCertificate[]]>([
    ["of an authority of the bundle", [leaf()], [ca]],
    ["of an authority beside others", [leaf()], [selfSigned, ca]],
    ["with an intermediate", [leaf({ issuer: mid }), mid], [ca]],
    ["whose intermediate is in the bundle", [leaf({ issuer: mid })], [mid]],
    ["that has signed itself, in the bundle", [selfSigned], [selfSigned]],
    ["for servers", [leaf({ usages: [USAGE.client, USAGE.server] })], [ca]],
    ["for any usage", [leaf({ usages: ["2.5.29.37.0"] })], [ca]],
    ["whose key is to sign certificates", [leaf({ keyUsage: forCertificates })], [ca]],
  ])("%s is trusted", (_what, chain, roots) => {
    expect(errorOf(chain, roots)).toBeUndefined();
  });

  test("that is in the bundle itself is trusted", () => {
    const own = leaf();
    expect(errorOf([own], [own])).toBeUndefined();
  });

  const unknown = "x509: certificate signed by unknown authority";
  const because = (why: string, name: string) =>
    `${unknown} (possibly because of ${JSON.stringify(why)} while trying to verify candidate authority certificate ${JSON.stringify(name)})`;
  const cannotSign = "x509: invalid signature: parent certificate cannot sign this kind of certificate";
  const silent = makeCertificate({ subject: "silent" });
  const listOnly = makeCertificate({ subject: "lists", ca: true, keyUsage: 0b0000_0010 });

  test.each<[string, readonly [TestCertificate, ...TestCertificate[]], readonly TestCertificate[], string]>([
    ["of another authority", [leaf()], [selfSigned], unknown],
    [
      "of another authority of the same name",
      [leaf()],
      [makeCertificate({ subject: "ca", ca: true })],
      because("x509: ECDSA verification failure", "ca"),
    ],
    ["without its intermediate", [leaf({ issuer: mid })], [ca], unknown],
    [
      "of an intermediate that is no authority",
      [leaf({ issuer: noAuthority }), noAuthority],
      [ca],
      because(cannotSign, "no authority"),
    ],
    [
      "of a root that is no authority",
      [leaf({ issuer: noAuthority })],
      [noAuthority],
      because(cannotSign, "no authority"),
    ],
    [
      "of a root that does not say what it is",
      [leaf({ issuer: silent })],
      [silent],
      because(cannotSign, "silent"),
    ],
    [
      "of a root that may not sign certificates",
      [leaf({ issuer: listOnly })],
      [listOnly],
      because(cannotSign, "lists"),
    ],
    ["with an empty bundle", [leaf()], [], unknown],
    [
      "for clients",
      [leaf({ usages: [USAGE.client] })],
      [ca],
      "x509: certificate specifies an incompatible key usage",
    ],
  ])("%s is not trusted", (_what, chain, roots, error) => {
    expect(errorOf(chain, roots)).toBe(error);
  });

  test("is valid from its first to its last second", () => {
    const expired = "x509: certificate has expired or is not yet valid: current time ";
    expect(errorOf([leaf({ untilMs: NOW - HOUR_MS })], [ca])).toMatch(
      new RegExp(`^${expired}\\S+Z is after \\S+Z$`),
    );
    expect(errorOf([leaf({ fromMs: NOW + HOUR_MS })], [ca])).toMatch(
      new RegExp(`^${expired}\\S+Z is before \\S+Z$`),
    );
    const oldCa = makeCertificate({ subject: "old", ca: true, untilMs: NOW - HOUR_MS });
    expect(errorOf([leaf({ issuer: oldCa })], [oldCa])).toMatch(new RegExp(`^${expired}`));
  });

  test("has no more authorities than allowed", () => {
    const top = makeCertificate({ subject: "top", ca: true, pathLength: 0 });
    const below = makeCertificate({ subject: "below", issuer: top, ca: true });
    expect(errorOf([leaf({ issuer: below }), below], [top])).toBe(
      "x509: too many intermediates for path length constraint",
    );
  });

  test("is looked for in a bounded number of steps", () => {
    const many = Array.from({ length: 120 }, () => makeCertificate({ subject: "ca", ca: true }));
    expect(errorOf([leaf()], many)).toBe(
      "x509: signature check attempts limit reached while verifying certificate chain",
    );
  });
});

describe("a server's names", () => {
  const complaint = (hosts: readonly string[] | undefined, host: string, subject = "x") =>
    hostComplaint(read(makeCertificate({ subject, ...(hosts ? { hosts } : {}) })), host);

  test.each([
    [["a.example"], "a.example"],
    [["A.Example"], "a.EXAMPLE"],
    [["a.example"], "a.example."],
    [["*.example"], "a.example"],
    [["x_y.example"], "x_y.example"],
    [["10.0.0.1"], "10.0.0.1"],
    [["b", "10.0.0.1"], "[10.0.0.1]"],
    [["*"], "*"],
  ])("%j are good for %s", (hosts, host) => {
    expect(complaint(hosts, host)).toBeUndefined();
  });

  test.each<[readonly string[] | undefined, string, string]>([
    [["*.example"], "b.a.example", "x509: certificate is valid for *.example, not b.a.example"],
    [["*.example"], "example", "x509: certificate is valid for *.example, not example"],
    [["a.*"], "a.example", "x509: certificate is valid for a.*, not a.example"],
    [["*a.example"], "ba.example", "x509: certificate is valid for *a.example, not ba.example"],
    [["*"], "example", "x509: certificate is valid for *, not example"],
    [["a.example", "b.c"], "c.d", "x509: certificate is valid for a.example, b.c, not c.d"],
    [
      ["10.0.0.1"],
      "a.example",
      "x509: certificate is not valid for any names, but wanted to match a.example",
    ],
    [["10.0.0.1", "10.0.0.2"], "10.0.0.3", "x509: certificate is valid for 10.0.0.1, 10.0.0.2, not 10.0.0.3"],
    [
      ["a"],
      "10.0.0.3",
      "x509: cannot validate certificate for 10.0.0.3 because it doesn't contain any IP SANs",
    ],
    [undefined, "a.example", "x509: certificate is not valid for any names, but wanted to match a.example"],
  ])("%j are not good for %s", (hosts, host, error) => {
    expect(complaint(hosts, host)).toBe(error);
  });

  const legacy = "x509: certificate relies on legacy Common Name field, use SANs instead";
  test.each(["a.example", "10.0.0.1"])("a common name alone is not good for %s", (host) => {
    expect(complaint(undefined, host, host)).toBe(legacy);
    expect(complaint(["b"], host, host)).not.toBe(legacy);
  });
});
