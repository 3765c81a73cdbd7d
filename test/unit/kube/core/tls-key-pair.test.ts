import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createAuthority } from "../../../../src/apiserver/http/tls/certificate.ts";
import { keyPairComplaint } from "../../../../src/kube/core/tls-key-pair.ts";

const TIMES = { fromMs: 0, untilMs: Date.parse("2040-01-01T00:00:00Z") };
const { pem, key } = createAuthority("one", TIMES);
const own = key.export({ type: "pkcs8", format: "pem" }).toString();
const other = createAuthority("two", TIMES).key.export({ type: "sec1", format: "pem" }).toString();
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 })
  .privateKey.export({ type: "pkcs1", format: "pem" })
  .toString();
const block = (type: string, body: string) => `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`;

describe("a certificate and its key", () => {
  it.each<[string, string, string, string | undefined]>([
    ["belong together", pem, own, undefined],
    ["belong together behind other text", `Subject: one\n${pem}`, `# key\r\n${own}`, undefined],
    ["are garbage", "x", "y", "tls: failed to find any PEM data in certificate input"],
    [
      "are in each other's place",
      own,
      pem,
      "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched",
    ],
    [
      "come with other blocks",
      block("A", "AAAA") + block("B B", "AAAA"),
      own,
      'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [A B B]',
    ],
    ["want a key", pem, "", "tls: failed to find any PEM data in key input"],
    [
      "want a key of base64",
      pem,
      block("PRIVATE KEY", "A!"),
      "tls: failed to find any PEM data in key input",
    ],
    [
      "are both certificates",
      pem,
      pem,
      "tls: found a certificate rather than a key in the PEM for the private key",
    ],
    [
      "want a private key",
      pem,
      block("PUBLIC KEY", "AAAA"),
      'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [PUBLIC KEY]',
    ],
    ["want a certificate", block("CERTIFICATE", "AAAA"), own, "x509: malformed certificate"],
    ["cannot be read", pem, block("EC PRIVATE KEY", "AAAA"), "tls: failed to parse private key"],
    ["are of two kinds", pem, rsa, "tls: private key type does not match public key type"],
    ["belong to others", pem, other, "tls: private key does not match public key"],
  ])("%s", (_name, certificate, privateKey, complaint) => {
    expect(keyPairComplaint(certificate, privateKey)).toBe(complaint);
  });
});
