// TLS material as configured: the serving certificate, and the CA bundles of client certificates.
import { readFileSync } from "node:fs";
import { readCaBundle } from "../apimachinery/go/x509/ca-bundle.ts";
import { systemReason } from "../apimachinery/meta/system-reason.ts";
import { ADMINISTRATOR } from "../apiserver/authentication/authenticator.ts";
import type { RequestHeaderOptions } from "../apiserver/authentication/request-header.ts";
import { CredentialsError } from "../apiserver/authentication/token-file.ts";
import { PRIVILEGED_GROUP } from "../apiserver/authorization/access-check.ts";
import { hostsOf, openTls as openSelfMade, serverTimes } from "../apiserver/http/tls/self-made.ts";
import {
  certificateInFolder,
  readServingCertificate,
  type ServingCertificate,
} from "../apiserver/http/tls/serving-certificate.ts";
import { parseListen } from "./options/option-table.ts";
import type { ServerOptions } from "./options/options.ts";

export type TlsMaterial = Awaited<ReturnType<typeof openTls>>;

/** `folder` is that of Egret's own CA. Throws CredentialsError. */
export async function openTls(options: ServerOptions, folder: string | undefined, nowMs: number) {
  const { clientCaFile, listen } = options;
  const clientCa =
    clientCaFile === undefined
      ? undefined
      : readAuthorities("client-ca-file", "client-ca-bundle", clientCaFile);
  const { host: listenHost } = parseListen(listen);
  const serving = servingCertificate(options, listenHost, nowMs);
  const own = await openSelfMade({ folder, listenHost, nowMs, serving });
  const { authority } = serving ?? own;
  const requestHeader = requestHeaderOf(options);
  const trusted = clientCa ?? own.authority;
  /** Acceptable CAs in the handshake, by which clients select their certificate. */
  const handshakeCa = requestHeader === undefined ? trusted : `${trusted}\n${requestHeader.ca}`;
  const admin =
    clientCa === undefined ? own.clientIdentity(ADMINISTRATOR.name, [PRIVILEGED_GROUP]) : undefined;
  return { ...own, authority, clientCa: trusted, handshakeCa, requestHeader, admin };
}

function requestHeaderOf(options: ServerOptions): RequestHeaderOptions | undefined {
  const { requestheaderClientCaFile: path } = options;
  if (path === undefined) return undefined;
  return {
    ca: readAuthorities("requestheader-client-ca-file", "request-header", path),
    allowedNames: options.requestheaderAllowedNames,
    usernameHeaders: options.requestheaderUsernameHeaders,
    uidHeaders: options.requestheaderUidHeaders,
    groupHeaders: options.requestheaderGroupHeaders,
    extraPrefixes: options.requestheaderExtraHeadersPrefix,
  };
}

/** undefined: the server's own CA signs a new one. */
function servingCertificate(
  { tlsCertFile, tlsPrivateKeyFile, certDir }: ServerOptions,
  listenHost: string,
  nowMs: number,
): ServingCertificate | undefined {
  if (tlsCertFile !== undefined && tlsPrivateKeyFile !== undefined)
    return readServingCertificate(tlsCertFile, tlsPrivateKeyFile);
  if (tlsCertFile !== undefined || tlsPrivateKeyFile !== undefined)
    throw new CredentialsError("--tls-cert-file and --tls-private-key-file must be given together");
  if (certDir === undefined) return undefined;
  return certificateInFolder(certDir, () => hostsOf(listenHost), serverTimes(nowMs));
}

/** The text of a CA bundle. Throws CredentialsError with the messages of a kube-apiserver. */
function readAuthorities(flagName: string, purpose: string, path: string): string {
  const fail = (why: string, cause?: unknown) =>
    new CredentialsError(`--${flagName}: unable to load client CA provider: ${why}`, { cause });
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw fail(`${path} cannot be read${systemReason(error)}`, error);
  }
  if (text === "") throw fail(`missing content for CA bundle "${purpose}::${path}"`);
  const { certificates, firstError } = readCaBundle(text);
  if (firstError !== undefined) throw fail(`error parsing ${path}: ${firstError}`);
  if (certificates.length === 0)
    throw fail(`error parsing ${path}: data does not contain any valid RSA or ECDSA certificates`);
  return text;
}
