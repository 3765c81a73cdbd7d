// What --secure needs: a certificate authority that is made once and kept, a fresh server certificate for each start, and a
// token for the administrator that follows from the authority's key, so that it stays good as long as that does.
import {
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  X509Certificate,
} from "node:crypto";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { userSubject } from "../../go/x509/distinguished-name.ts";
import { createKeyFile, readKeyFile } from "../authentication/key-folder.ts";
import { CredentialsError } from "../authentication/token-file.ts";
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
  /** As a CertificateSigningRequest lists them. */
  readonly usages: readonly string[];
}

/** In PEM. */
export interface ClientCredentials {
  readonly certificate: string;
  readonly key: string;
}

export interface TlsOptions {
  /** Where the authority is kept; undefined: it lasts as long as the process. */
  readonly folder: string | undefined;
  readonly listenHost: string;
  readonly nowMs: number;
  /** What is presented in the place of a fresh certificate of the authority. */
  readonly serving?: ServingCertificate | undefined;
}

const AUTHORITY_NAME = "egret-ca";
const SERVER_NAME = "egret";
const DAY_MS = 24 * 3600 * 1000;
const YEAR_MS = 365 * DAY_MS;
/** A certificate is no secret. */
const READABLE = 0o644;
const AUTHORITY_DAYS = 3650;
/** Clients do not like servers' certificates that last longer. */
const SERVER_DAYS = 397;
/** A client's certificate is valid at once, also where a clock is a little behind; as kube-controller-manager signs. */
const CLIENT_BACKDATE_MS = 5 * 60 * 1000;
/** Shorter certificates are valid for all of the time that was requested. */
const CLIENT_SHORT_SECONDS = 8 * 3600;
/** As pods of a cluster would call the server. */
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
    /** Authenticates the subject for so long, but no longer than the authority is valid. */
    signClient(of: ClientIdentity, atMs: number, { seconds, usages }: ClientTerms): string {
      const backdateMs = seconds < CLIENT_SHORT_SECONDS ? 0 : CLIENT_BACKDATE_MS;
      const untilMs = Math.min(atMs + seconds * 1000 - backdateMs, lastsUntil(authority));
      return createClientCertificate(issuer, of, { fromMs: atMs - CLIENT_BACKDATE_MS, untilMs }, usages);
    },
    /** For a client with a new key. */
    clientIdentity(name: string, groups: readonly string[]): ClientCredentials {
      const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const times = {
        fromMs: nowMs - CLIENT_BACKDATE_MS,
        untilMs: Math.min(nowMs + YEAR_MS, lastsUntil(authority)),
      };
      const of = { subject: userSubject(name, groups), publicKey };
      return { certificate: createClientCertificate(issuer, of, times), key: pemOf(privateKey) };
    },
    /** Nothing here is a front proxy: its certificate alone is kept, so that no other certificate can be signed with it. */
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

/** A clock that is a day behind still finds it valid. */
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

/** The names under which clients may reach the server: all of this machine's when it listens on all addresses. */
export function hostsOf(listenHost: string): readonly string[] {
  const hosts = new Set(["localhost", "127.0.0.1", "::1", ...SERVICE_NAMES]);
  if (listenHost !== "0.0.0.0" && listenHost !== "::") hosts.add(listenHost);
  else
    for (const addresses of Object.values(networkInterfaces()))
      for (const { address } of addresses ?? []) if (!address.includes("%")) hosts.add(address);
  return [...hosts];
}
