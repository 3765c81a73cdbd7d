// Clients that show a certificate of the server's authority: its common name is the user, its organisations are the groups.
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { UserInfo } from "./token-file.ts";

/** Whom a connection's certificate names; undefined when it has shown none, "refused" when it is nobody's we trust. */
export type CertificateHolder = UserInfo | "refused" | undefined;

const CREDENTIAL_ID = "authentication.kubernetes.io/credential-id";

const holders = new WeakMap<object, { readonly holder: CertificateHolder }>();

/** A connection is looked at once. */
export function certificateHolder(socket: Socket): CertificateHolder {
  const known = holders.get(socket);
  if (known) return known.holder;
  const holder = readHolder(socket);
  holders.set(socket, { holder });
  return holder;
}

function readHolder(socket: Socket): CertificateHolder {
  // Over HTTP/2 the socket stands behind a proxy that passes these members on.
  if (!("getPeerCertificate" in socket) || typeof socket.getPeerCertificate !== "function") return undefined;
  const secure = socket as TLSSocket; // it has what makes it one
  const certificate = secure.getPeerCertificate();
  if (certificate?.subject === undefined) return undefined;
  const name = first(certificate.subject.CN);
  if (!secure.authorized || name === "") return "refused";
  const fingerprint = certificate.fingerprint256.replaceAll(":", "").toLowerCase();
  return {
    name,
    groups: listOf(certificate.subject.O),
    extra: { [CREDENTIAL_ID]: [`X509SHA256=${fingerprint}`] },
  };
}

/** A part that is there several times comes as a list. */
function listOf(part: string | string[] | undefined): readonly string[] {
  return part === undefined ? [] : Array.isArray(part) ? part : [part];
}

const first = (part: string | string[] | undefined): string => listOf(part)[0] ?? "";
