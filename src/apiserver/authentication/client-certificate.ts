// Authentication by client certificates: a chain is verified as Go verifies it, against the certificates of a bundle, and the
// subject is read as Go reads it: the last common name is the user, all organizations are groups.
import { createHash } from "node:crypto";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { readCaBundle } from "../../apimachinery/go/x509/ca-bundle.ts";
import type { Certificate } from "../../apimachinery/go/x509/certificate.ts";
import { systemClock } from "../../apimachinery/meta/clock.ts";
import { peerChain } from "../http/tls/peer-chain.ts";
import { areConstrained, verifyChain } from "../http/tls/verify-chain.ts";
import type { UserInfo } from "./token-file.ts";

/** "refused": the chain is not valid; undefined: there is no certificate. */
export type VerifiedCertificate = Certificate | "refused" | undefined;

/** The user of a connection's certificate; undefined without one, or without a name in it; "refused": it is not valid. */
export type CertificateHolder = UserInfo | "refused" | undefined;

const CREDENTIAL_ID = "authentication.kubernetes.io/credential-id";

interface Known {
  readonly certificate: VerifiedCertificate;
  /** A chain may expire while the connection lasts. */
  readonly untilMs: number;
}

/** Verifies the certificate of a connection against the CA certificates of one bundle, once for each connection. */
export class ClientCertificates {
  readonly #roots: readonly Certificate[];
  readonly #known = new WeakMap<object, Known>();

  /** The certificates in PEM. */
  constructor(bundle: string) {
    this.#roots = readCaBundle(bundle).certificates;
  }

  of(socket: Socket): VerifiedCertificate {
    let known = this.#known.get(socket);
    if (known === undefined) {
      known = this.#verify(socket);
      this.#known.set(socket, known);
    }
    return systemClock.now() <= known.untilMs ? known.certificate : "refused";
  }

  #verify(socket: Socket): Known {
    const always = Number.POSITIVE_INFINITY;
    if (!isSecure(socket)) return { certificate: undefined, untilMs: always };
    const { leaf, intermediates } = peerChain(socket);
    if (leaf === undefined || typeof leaf === "string")
      return { certificate: leaf === undefined ? leaf : "refused", untilMs: always };
    const chain = { leaf, intermediates, roots: this.#roots, nowMs: systemClock.now() };
    const verdict = verifyChain(chain, "client");
    if ("error" in verdict || (areConstrained(verdict.chains) && !socket.authorized))
      return { certificate: "refused", untilMs: always };
    return { certificate: leaf, untilMs: endOf(verdict.chains) };
  }
}

/** The last moment at which one of the chains is valid. */
const endOf = (chains: readonly (readonly Certificate[])[]): number =>
  chains.reduce((latest, chain) => {
    const end = chain.reduce((first, { untilMs }) => Math.min(first, untilMs), Number.POSITIVE_INFINITY);
    return Math.max(latest, end);
  }, 0);

/** Whether the client has sent a certificate, valid or not. */
export const hasCertificate = (socket: Socket): boolean =>
  isSecure(socket) && socket.getPeerCertificate()?.raw !== undefined;

/** Over HTTP/2 the socket is behind a proxy that passes the members of a TLSSocket on. */
const isSecure = (socket: Socket): socket is TLSSocket =>
  "getPeerCertificate" in socket && typeof socket.getPeerCertificate === "function";

export function certificateHolder(certificate: VerifiedCertificate): CertificateHolder {
  if (certificate === undefined || certificate === "refused") return certificate;
  const { commonName, lists, uids } = certificate.name;
  if (commonName === "") return undefined;
  const [uid, second] = uids;
  if (second !== undefined || uid === "") return "refused";
  const fingerprint = createHash("sha256").update(certificate.der).digest("hex");
  return {
    name: commonName,
    ...(uid === undefined ? {} : { uid }),
    groups: lists.organization,
    extra: { [CREDENTIAL_ID]: [`X509SHA256=${fingerprint}`] },
  };
}
