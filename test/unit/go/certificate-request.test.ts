import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { parseCertificateRequest } from "../../../src/go/certificate-request.ts";

const OPENSSL = process.env["OPENSSL"] ?? "openssl";

/** With openssl, which others make their requests with as well. */
function request(...options: readonly string[]): string {
  const args = ["req", "-new", "-nodes", "-keyout", "/dev/null", "-subj", "/O=shop/O=clerks/CN=alice"];
  return execFileSync(OPENSSL, [...args, ...options], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}
const CURVE = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"];

describe("a request for a certificate", () => {
  it.each([
    ["a curve", CURVE],
    ["a curve and SHA-384", [...CURVE, "-sha384"]],
    ["RSA", ["-newkey", "rsa:2048"]],
    ["Ed25519", ["-newkey", "ed25519"]],
  ])("is signed with %s", (_name, options) => {
    expect(parseCertificateRequest(request(...options))).toMatchObject({
      commonName: "alice",
      organizations: ["shop", "clerks"],
      names: { dns: 0, email: 0, address: 0, uri: 0 },
      isSigned: true,
    });
  });

  it("may ask for other names", () => {
    const names = "subjectAltName=DNS:a,DNS:b,IP:10.0.0.1,email:a@b.c,URI:x:y";
    expect(parseCertificateRequest(request(...CURVE, "-addext", names))).toMatchObject({
      names: { dns: 2, email: 1, address: 1, uri: 1 },
    });
  });

  it("of which a byte was changed is not signed", () => {
    const lines = request(...CURVE)
      .trim()
      .split("\n");
    const der = Buffer.from(lines.slice(1, -1).join(""), "base64");
    const at = der.indexOf("alice");
    der.write("Alice", at);
    const pem = `${lines[0]}\n${der.toString("base64")}\n${lines.at(-1)}\n`;
    expect(parseCertificateRequest(pem)).toMatchObject({ commonName: "Alice", isSigned: false });
  });

  it.each([
    ["no PEM", "x", "PEM block type must be CERTIFICATE REQUEST"],
    [
      "another block",
      "-----BEGIN CERTIFICATE-----\neA==\n-----END CERTIFICATE-----",
      "PEM block type must be CERTIFICATE REQUEST",
    ],
    [
      "other bytes",
      "-----BEGIN CERTIFICATE REQUEST-----\neA==\n-----END CERTIFICATE REQUEST-----",
      "asn1: structure error: malformed certificate request",
    ],
  ])("is not %s", (_name, pem, why) => {
    expect(parseCertificateRequest(pem)).toBe(why);
  });
});
