// Authentication by client certificates: OpenSSL verifies the chain when the connection is made, and the subject is read as Go
// reads it: the last common name is the user, all organizations are groups.
import type { Socket } from "node:net";
import type { PeerCertificate, TLSSocket } from "node:tls";
import { Asn1Error } from "../../go/asn1-values.ts";
import { readCertificate } from "../../go/x509/certificate.ts";
import { systemClock } from "../../meta/clock.ts";
import type { UserInfo } from "./token-file.ts";

/** The user of a connection's certificate; undefined without one, or without a name in it; "refused": it is not valid. */
export type CertificateHolder = UserInfo | "refused" | undefined;

const CREDENTIAL_ID = "authentication.kubernetes.io/credential-id";

interface Known {
  readonly holder: CertificateHolder;
  readonly untilMs: number;
}

const known = new WeakMap<object, Known>();
const NO_CERTIFICATE: Known = { holder: undefined, untilMs: Number.POSITIVE_INFINITY };

/** A certificate is read once for each connection, and may expire while the connection lasts. */
export function certificateHolder(socket: Socket): CertificateHolder {
  let of = known.get(socket);
  if (of === undefined) {
    of = readHolder(socket);
    known.set(socket, of);
  }
  if (of.untilMs === Number.POSITIVE_INFINITY || systemClock.now() <= of.untilMs) return of.holder;
  return "refused";
}

function readHolder(socket: Socket): Known {
  // Over HTTP/2 the socket is behind a proxy that passes these members on.
  if (!("getPeerCertificate" in socket) || typeof socket.getPeerCertificate !== "function")
    return NO_CERTIFICATE;
  const secure = socket as TLSSocket; // it has the members of one
  const certificate = secure.getPeerCertificate();
  if (certificate?.raw === undefined) return NO_CERTIFICATE;
  const untilMs = Date.parse(certificate.valid_to);
  return { holder: secure.authorized ? userOf(certificate) : "refused", untilMs };
}

function userOf({ raw, fingerprint256 }: PeerCertificate): CertificateHolder {
  try {
    const { commonName, lists, uids } = readCertificate(raw).name;
    if (commonName === "") return undefined;
    const [uid, second] = uids;
    if (second !== undefined || uid === "") return "refused";
    const fingerprint = fingerprint256.replaceAll(":", "").toLowerCase();
    return {
      name: commonName,
      ...(uid === undefined ? {} : { uid }),
      groups: lists.organization,
      extra: { [CREDENTIAL_ID]: [`X509SHA256=${fingerprint}`] },
    };
  } catch (error) {
    if (error instanceof Asn1Error) return "refused";
    throw error;
  }
}
