// Validation of a TLS certificate and key as a pair, with the errors of Go's tls.X509KeyPair.
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { pemBlocks } from "../../apimachinery/go/pem.ts";

const SKIPPED = "after skipping PEM blocks of the following types";

/** Error of the pair; undefined when certificate and key match. Both are PEM. */
export function keyPairComplaint(certificate: string, key: string): string | undefined {
  const certificates = pemBlocks(certificate);
  const first = certificates.find(({ type }) => type === "CERTIFICATE");
  if (first === undefined) return noCertificate(certificates.map(({ type }) => type));
  const keys = pemBlocks(key);
  const keyBlock = keys.find(({ type }) => /(^| )PRIVATE KEY$/.test(type));
  if (keyBlock === undefined) return noKey(keys.map(({ type }) => type));
  const parsed = certificateOf(first.bytes);
  if (parsed === undefined) return "x509: malformed certificate";
  const privateKey = privateKeyOf(keyBlock.bytes);
  if (privateKey === undefined) return "tls: failed to parse private key";
  if (parsed.publicKey.asymmetricKeyType !== privateKey.asymmetricKeyType) {
    return "tls: private key type does not match public key type";
  }
  return parsed.checkPrivateKey(privateKey) ? undefined : "tls: private key does not match public key";
}

function noCertificate(types: readonly string[]): string {
  if (types.length === 0) return "tls: failed to find any PEM data in certificate input";
  if (types.length === 1 && types[0]?.endsWith("PRIVATE KEY")) {
    return "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched";
  }
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input ${SKIPPED}: [${types.join(" ")}]`;
}

function noKey(types: readonly string[]): string {
  if (types.length === 0) return "tls: failed to find any PEM data in key input";
  if (types.length === 1 && types[0] === "CERTIFICATE") {
    return "tls: found a certificate rather than a key in the PEM for the private key";
  }
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input ${SKIPPED}: [${types.join(" ")}]`;
}

export function certificateOf(der: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch {
    return undefined;
  }
}

/** All key formats are tried, whatever the type of the PEM block. */
function privateKeyOf(der: Buffer): KeyObject | undefined {
  for (const type of ["pkcs1", "pkcs8", "sec1"] as const) {
    try {
      return createPrivateKey({ key: der, format: "der", type });
    } catch {
      // another form, or none
    }
  }
  return undefined;
}
