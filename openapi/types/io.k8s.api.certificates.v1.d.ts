// Written by `npm run types` from the schemas; do not edit.
import type { ObjectMeta, Time } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** Asks a signer for a certificate. */
export interface CertificateSigningRequest {
  /** Version of the API in which this object is written. */
  apiVersion: "certificates.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "CertificateSigningRequest";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What is asked for, and by whom; cannot be changed. */
  spec?: CertificateSigningRequestSpec;
  /** What was decided, and the certificate. */
  status?: CertificateSigningRequestStatus;
}

/** A state of a request. */
export interface CertificateSigningRequestCondition {
  /** When the status changed last. */
  lastTransitionTime?: Time;
  /** When it was written last. */
  lastUpdateTime?: Time;
  /** For people: more about it. */
  message?: string;
  /** One word about why. */
  reason?: string;
  /** Whether it is so; Approved, Denied and Failed are always True. */
  status?: string;
  /** Approved, Denied, Failed or another word. */
  type?: string;
}

/** What certificate is asked for, and by whom. */
export interface CertificateSigningRequestSpec {
  /** How long the certificate should be good, at least 600 seconds; signers may shorten it. */
  expirationSeconds?: number;
  /** What else is known of the user, by key; set by the server. */
  extra?: { [key: string]: string[] };
  /** The groups of the user; set by the server. */
  groups?: string[];
  /** The request itself (PKCS #10), as PEM in base64. */
  request: string;
  /** Who is asked, as domain/path. Some beginning with kubernetes.io/ are signed by the cluster itself. */
  signerName?: string;
  /** What tells the user from others of the name; set by the server. */
  uid?: string;
  /** What the certificate should be good for. */
  usages?: ("any" | "cert sign" | "client auth" | "code signing" | "content commitment" | "crl sign" | "data encipherment" | "decipher only" | "digital signature" | "email protection" | "encipher only" | "ipsec end system" | "ipsec tunnel" | "ipsec user" | "key agreement" | "key encipherment" | "microsoft sgc" | "netscape sgc" | "ocsp signing" | "s/mime" | "server auth" | "signing" | "timestamping")[];
  /** Who asks; set by the server. */
  username?: string;
}

/** What became of a request. */
export interface CertificateSigningRequestStatus {
  /** The certificate, and those of its authorities if the signer adds them, as PEM in base64. */
  certificate?: string;
  /** Approved, Denied, Failed and other states, each once. Who was approved cannot be denied any more. */
  conditions?: CertificateSigningRequestCondition[];
}
