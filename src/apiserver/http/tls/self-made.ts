// TLS material of --secure: a persistent CA, a fresh serving certificate for each start, and an administrator token.
// The token is derived from the CA's key, and valid as long as the CA.
import {
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  X509Certificate,
} from "node:crypto";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { userSubject } from "../../../apimachinery/go/x509/distinguished-name.ts";
import { createKeyFile, readKeyFile } from "../../authentication/key-folder.ts";
import { CredentialsError } from "../../authentication/token-file.ts";
import {
  type Certificate,
  type CertificateTimes,
  type ClientIdentity,
  createAuthority,
  createClientCertificate,
  createServerCertificate,
} from "./certificate.ts";
import type { ServingCertificate } from "./serving-certificate.ts";

export interface ClientTerms {
  readonly seconds: number;
  /** As in a CertificateSigningRequest. */
  readonly usages: readonly string[];
}

/** In PEM. */
export interface ClientCredentials {
  readonly certificate: string;
  readonly key: string;
}

export interface TlsOptions {
  /** The folder of the CA; undefined: the CA lasts as long as the process. */
  readonly folder: string | undefined;
  readonly listenHost: string;
  readonly nowMs: number;
  /** Replaces a fresh certificate of the CA. */
  readonly serving?: ServingCertificate | undefined;
}

const AUTHORITY_NAME = "egret-ca";
const SERVER_NAME = "egret";
const DAY_MS = 24 * 3600 * 1000;
const YEAR_MS = 365 * DAY_MS;
/** Certificates are not secret. */
const READABLE = 0o644;
const AUTHORITY_DAYS = 3650;
/** Clients reject serving certificates with a longer lifetime. */
const SERVER_DAYS = 397;
/** Backdating of client certificates, against clock skew, as in kube-controller-manager. */
const CLIENT_BACKDATE_MS = 5 * 60 * 1000;
/** Shorter certificates are not backdated: they are valid for the whole requested time. */
const CLIENT_SHORT_SECONDS = 8 * 3600;
/** Names of the API Service for pods of a cluster. */
const SERVICE_NAMES = ["kubernetes", "kubernetes.default", "kubernetes.default.svc"];

/** PEM texts, and the token of the administrator. */
export async function openTls({ folder, listenHost, nowMs, serving }: TlsOptions) {
  const authority = folder === undefined ? newAuthority(nowMs) : await keptAuthority(folder, nowMs);
  const issuer = { ...authority, name: AUTHORITY_NAME };
  let frontProxy: string | undefined;
  const fresh = () => createServerCertificate(issuer, SERVER_NAME, hostsOf(listenHost), serverTimes(nowMs));
  const { certificate, key } = serving ?? servingOf(fresh());
  return {
    authority: authority.pem,
    ...{ certificate, key },
    /** Signs a client certificate for that time, limited by the validity of the CA. */
    signClient(of: ClientIdentity, atMs: number, { seconds, usages }: ClientTerms): string {
      const backdateMs = seconds < CLIENT_SHORT_SECONDS ? 0 : CLIENT_BACKDATE_MS;
      const untilMs = Math.min(atMs + seconds * 1000 - backdateMs, lastsUntil(authority));
      return createClientCertificate(issuer, of, { fromMs: atMs - CLIENT_BACKDATE_MS, untilMs }, usages);
    },
    /** A client certificate with a new key. */
    clientIdentity(name: string, groups: readonly string[]): ClientCredentials {
      const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const times = {
        fromMs: nowMs - CLIENT_BACKDATE_MS,
        untilMs: Math.min(nowMs + YEAR_MS, lastsUntil(authority)),
      };
      const of = { subject: userSubject(name, groups), publicKey };
      return { certificate: createClientCertificate(issuer, of, times), key: pemOf(privateKey) };
    },
    /**
     * The CA of front proxies. Only its certificate is stored, without the key, so that it cannot sign any
     * certificate.
     */
    frontProxyAuthority: () => (frontProxy ??= frontProxyAuthority(folder, nowMs)),
    adminToken: createHmac("sha256", privatePem(authority)).update("administrator").digest("base64url"),
  };
}

const FRONT_PROXY_FILE = "front-proxy-ca.crt";

function frontProxyAuthority(folder: string | undefined, nowMs: number): string {
  const file = folder === undefined ? undefined : join(folder, FRONT_PROXY_FILE);
  const kept = file === undefined ? undefined : readKeyFile(file);
  if (kept !== undefined) return kept;
  const { pem } = createAuthority("egret-front-proxy-ca", during(nowMs, AUTHORITY_DAYS));
  if (file !== undefined) createKeyFile(file, pem, READABLE);
  return pem;
}

const servingOf = (server: Certificate) => ({ certificate: server.pem, key: privatePem(server) });

export const serverTimes = (nowMs: number): CertificateTimes => during(nowMs, SERVER_DAYS);

const lastsUntil = ({ pem }: Certificate): number => Date.parse(new X509Certificate(pem).validTo);

/** Backdated by a day, against clock skew. */
function during(nowMs: number, days: number): CertificateTimes {
  return { fromMs: nowMs - DAY_MS, untilMs: nowMs + days * DAY_MS };
}

const newAuthority = (nowMs: number): Certificate =>
  createAuthority(AUTHORITY_NAME, during(nowMs, AUTHORITY_DAYS));

const pemOf = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }).toString();
const privatePem = ({ key }: Certificate): string => pemOf(key);

async function keptAuthority(folder: string, nowMs: number): Promise<Certificate> {
  const certificateFile = join(folder, "ca.crt");
  const keyFile = join(folder, "ca.key");
  const [pem, key] = [readKeyFile(certificateFile), readKeyFile(keyFile)];
  if (pem !== undefined && key !== undefined)
    return checked({ pem, key: readKey(keyFile, key) }, folder, nowMs);
  if (pem !== undefined || key !== undefined)
    throw new CredentialsError(`${folder} has only one of ca.crt and ca.key`);
  const made = newAuthority(nowMs);
  createKeyFile(keyFile, privatePem(made));
  createKeyFile(certificateFile, made.pem, READABLE);
  return made;
}

function readKey(path: string, text: string) {
  try {
    return createPrivateKey(text);
  } catch (error) {
    throw new CredentialsError(`${path} holds no private key`, { cause: error });
  }
}

function checked(authority: Certificate, folder: string, nowMs: number): Certificate {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(authority.pem);
  } catch (error) {
    throw new CredentialsError(`ca.crt in ${folder} holds no certificate`, { cause: error });
  }
  if (!certificate.checkPrivateKey(authority.key))
    throw new CredentialsError(`ca.crt and ca.key in ${folder} do not belong together`);
  if (Date.parse(certificate.validTo) < nowMs)
    throw new CredentialsError(
      `ca.crt in ${folder} has expired; remove it and ca.key, and new ones are made`,
    );
  return authority;
}

/** The host names of the serving certificate: all of this host's when the server listens on all addresses. */
export function hostsOf(listenHost: string): readonly string[] {
  const hosts = new Set(["localhost", "127.0.0.1", "::1", ...SERVICE_NAMES]);
  if (listenHost !== "0.0.0.0" && listenHost !== "::") hosts.add(listenHost);
  else
    for (const addresses of Object.values(networkInterfaces()))
      for (const { address } of addresses ?? []) if (!address.includes("%")) hosts.add(address);
  return [...hosts];
}
