// PEM bundles of trust anchors, as Go's x509.CertPool and client-go read them.
import { Asn1Error } from "../asn1-values.ts";
import { pemBlocks } from "../pem.ts";
import { type Certificate, readCertificate } from "./certificate.ts";

/** `firstError`: why the first invalid certificate cannot be read. */
export interface CaBundle {
  readonly certificates: readonly Certificate[];
  readonly firstError: string | undefined;
  /** Whether there is any PEM block. */
  readonly hasBlocks: boolean;
}

/** Size of the cache of parsed bundles: webhooks are called often. */
const KEPT_MAX = 64;
const kept = new Map<string, CaBundle>();

/** Skips blocks of other types, and blocks with headers. */
export function readCaBundle(pem: string): CaBundle {
  const known = kept.get(pem);
  if (known !== undefined) return known;
  const [oldest] = kept.keys();
  if (oldest !== undefined && kept.size >= KEPT_MAX) kept.delete(oldest);
  const bundle = read(pem);
  kept.set(pem, bundle);
  return bundle;
}

function read(pem: string): CaBundle {
  const blocks = pemBlocks(pem);
  const certificates: Certificate[] = [];
  let firstError: string | undefined;
  for (const { type, bytes, hasHeaders } of blocks) {
    if (type !== "CERTIFICATE" || hasHeaders) continue;
    const certificate = certificateOrError(bytes);
    if (typeof certificate === "string") firstError ??= certificate;
    else certificates.push(certificate);
  }
  return { certificates, firstError, hasBlocks: blocks.length > 0 };
}

/** The certificate, or Go's error. */
export function certificateOrError(der: Buffer): Certificate | string {
  try {
    return readCertificate(der);
  } catch (error) {
    if (!(error instanceof Asn1Error)) throw error;
    return error.message.startsWith("x509: ") ? error.message : "x509: malformed certificate";
  }
}

/** client-go's error for a bundle without any certificate; undefined: there is one. */
export function rootsComplaint(pem: string): string | undefined {
  const { certificates, firstError, hasBlocks } = readCaBundle(pem);
  if (certificates.length > 0) return undefined;
  if (firstError !== undefined) return `failed to parse certificate: ${firstError}`;
  return hasBlocks ? "no valid certificate authority data seen" : "unable to parse bytes as PEM block";
}
