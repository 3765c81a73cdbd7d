import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { parseCertificateRequest } from "../../../../../src/apimachinery/go/x509/certificate-request.ts";

const OPENSSL = process.env["OPENSSL"] ?? "openssl";

/** With openssl, which others make their requests with as well. */
function request(...options: readonly string[]): string {
  const args = ["req", "-new", "-nodes", "-keyout", "/dev/null", "-subj", "/O=shop/O=clerks/CN=alice"];
  return execFileSync(OPENSSL, [...args, ...options], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}
const pemOf = (base64: string): string =>
  `-----BEGIN CERTIFICATE REQUEST-----\n${base64}\n-----END CERTIFICATE REQUEST-----\n`;
const CURVE = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"];

describe("a request for a certificate", () => {
  it.each([
    ["a curve", CURVE],
    ["a curve and SHA-384", [...CURVE, "-sha384"]],
    ["RSA", ["-newkey", "rsa:2048"]],
    ["RSA-PSS", ["-newkey", "rsa:2048", "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:-1"]],
    ["Ed25519", ["-newkey", "ed25519"]],
  ])("is signed with %s", (_name, options) => {
    expect(parseCertificateRequest(request(...options))).toMatchObject({
      subject: { commonName: "alice", lists: { organization: ["shop", "clerks"] } },
      names: { dns: [], emails: [], addresses: [], uris: [] },
      signatureComplaint: undefined,
    });
  });

  it("may ask for other names", () => {
    const names = "subjectAltName=DNS:a,DNS:b,IP:10.0.0.1,email:a@b.c,URI:x:y";
    expect(parseCertificateRequest(request(...CURVE, "-addext", names))).toMatchObject({
      names: {
        dns: ["a", "b"],
        emails: ["a@b.c"],
        addresses: [Buffer.from([10, 0, 0, 1])],
        uris: ["x:y"],
      },
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
    expect(parseCertificateRequest(pem)).toMatchObject({
      subject: { commonName: "Alice" },
      signatureComplaint: "x509: ECDSA verification failure",
    });
  });

  it.each([
    ["no PEM", "x", "PEM block type must be CERTIFICATE REQUEST"],
    [
      "another block",
      "-----BEGIN CERTIFICATE-----\neA==\n-----END CERTIFICATE-----",
      "PEM block type must be CERTIFICATE REQUEST",
    ],
    ["another length", pemOf("eA=="), "asn1: syntax error: truncated tag or length"],
    [
      "a number",
      pemOf("AgEF"),
      "asn1: structure error: tags don't match (16 vs {class:0 tag:2 length:1 isCompound:false}) {optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false} certificateRequest @2",
    ],
    ["an empty sequence", pemOf("MAA="), "asn1: syntax error: sequence truncated"],
    ["cut off", pemOf("MAUC"), "asn1: syntax error: data truncated"],
    ["of no length", pemOf("MIA="), "asn1: syntax error: indefinite length found (not DER)"],
    ["of a long length", pemOf("MIEB"), "asn1: structure error: non-minimal length"],
  ])("is not %s", (_name, pem, why) => {
    expect(parseCertificateRequest(pem)).toBe(why);
  });

  it("has nothing behind it", () => {
    const lines = request(...CURVE)
      .trim()
      .split("\n");
    const der = Buffer.from(lines.slice(1, -1).join(""), "base64");
    const longer = Buffer.concat([der, Buffer.from([0])]);
    expect(parseCertificateRequest(pemOf(longer.toString("base64")))).toBe(
      "asn1: syntax error: trailing data",
    );
  });

  it("says another sort of signature than its key makes", () => {
    const lines = request(...CURVE)
      .trim()
      .split("\n");
    const der = Buffer.from(lines.slice(1, -1).join(""), "base64").toString("hex");
    const changed = der.replace("06082a8648ce3d040302", "06082a864886f70d0105"); // 1.2.840.113549.1.5 is nothing that signs
    expect(parseCertificateRequest(pemOf(Buffer.from(changed, "hex").toString("base64")))).toMatchObject({
      signatureComplaint: "x509: cannot verify signature: algorithm unimplemented",
    });
  });
});
