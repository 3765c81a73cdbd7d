// The serving certificate from files, as with --tls-cert-file and --cert-dir of a kube-apiserver.
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pemText } from "../../../apimachinery/go/pem.ts";
import { readCaBundle } from "../../../apimachinery/go/x509/ca-bundle.ts";
import type { Certificate } from "../../../apimachinery/go/x509/certificate.ts";
import { makeFolder } from "../../../apimachinery/meta/folders.ts";
import { errorCode, systemReason } from "../../../apimachinery/meta/system-reason.ts";
import { CredentialsError } from "../../authentication/token-file.ts";
import { type CertificateTimes, createAuthority, createServerCertificate } from "./certificate.ts";

/** All in PEM. */
export interface ServingCertificate {
  /** The leaf and the following certificates of the file. */
  readonly certificate: string;
  readonly key: string;
  /** The trust anchor for clients: the last certificate of the chain. */
  readonly authority: string;
}

/** Throws CredentialsError. */
export function readServingCertificate(certificateFile: string, keyFile: string): ServingCertificate {
  const [certificate, key] = [certificateFile, keyFile].map(textOf) as [string, string]; // one for each
  const fail = (path: string, why: string, cause?: unknown) =>
    new CredentialsError(`${path}: ${why}`, { cause });
  const { certificates, firstError } = readCaBundle(certificate);
  const [leaf] = certificates;
  if (leaf === undefined || firstError !== undefined)
    throw fail(certificateFile, firstError ?? "tls: failed to find any PEM data in certificate input");
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(key);
  } catch (error) {
    throw fail(keyFile, "tls: failed to find a private key in key input", error);
  }
  if (!new X509Certificate(leaf.der).checkPrivateKey(privateKey))
    throw fail(keyFile, `tls: private key does not match public key of ${certificateFile}`);
  return { certificate, key, authority: pemText("CERTIFICATE", lastIssuer(leaf, certificates).der) };
}

const FILES = { certificate: "apiserver.crt", key: "apiserver.key" };
const NAME = "apiserver";
const CA_NAME = "apiserver-ca";
const [PUBLIC, PRIVATE] = [0o644, 0o600];

/** The key pair in the folder. A missing one is created, with a CA whose key is not stored. Throws CredentialsError. */
export function certificateInFolder(
  folder: string,
  hosts: () => readonly string[],
  times: CertificateTimes,
): ServingCertificate {
  const [certificateFile, keyFile] = [join(folder, FILES.certificate), join(folder, FILES.key)];
  const [hasCertificate, hasKey] = [certificateFile, keyFile].map(exists);
  if (hasCertificate !== hasKey) {
    const missing = hasCertificate ? keyFile : certificateFile;
    throw new CredentialsError(`error reading ${missing}, certificate and key must be supplied as a pair`);
  }
  if (!hasCertificate) {
    const authority = createAuthority(CA_NAME, times);
    const made = createServerCertificate({ ...authority, name: CA_NAME }, NAME, hosts(), times);
    try {
      makeFolder(folder);
      const key = made.key.export({ type: "pkcs8", format: "pem" }).toString();
      writeFileSync(keyFile, key, { mode: PRIVATE, flag: "wx" });
      writeFileSync(certificateFile, made.pem + authority.pem, { mode: PUBLIC, flag: "wx" });
    } catch (cause) {
      throw new CredentialsError(`no certificate can be written to ${folder}${systemReason(cause)}`, {
        cause,
      });
    }
  }
  return readServingCertificate(certificateFile, keyFile);
}

function exists(path: string): boolean {
  try {
    textOf(path);
    return true;
  } catch (error) {
    if (error instanceof CredentialsError && errorCode(error.cause) === "ENOENT") return false;
    throw error;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CredentialsError(`${path} cannot be read${systemReason(error)}`, { cause: error });
  }
}

/** The last issuer of the chain that starts at the leaf, among the certificates of the file. */
function lastIssuer(leaf: Certificate, all: readonly Certificate[]): Certificate {
  const passed = new Set([leaf]);
  for (;;) {
    const last = [...passed].at(-1) ?? leaf;
    const issuer = all.find((each) => each.subject.equals(last.issuer) && !passed.has(each));
    if (issuer === undefined) return last;
    passed.add(issuer);
  }
}
