// The certificates sent by the TLS peer.
import type { DetailedPeerCertificate, TLSSocket } from "node:tls";
import { certificateOrError } from "../../../apimachinery/go/x509/ca-bundle.ts";
import type { Certificate } from "../../../apimachinery/go/x509/certificate.ts";

export interface PeerChain {
  /** The leaf, or why it cannot be decoded; undefined without a certificate. */
  readonly leaf: Certificate | string | undefined;
  readonly intermediates: readonly Certificate[];
}

/** OpenSSL's default limit of chain length. */
const CHAIN_MAX = 100;

export function peerChain(socket: Pick<TLSSocket, "getPeerCertificate">): PeerChain {
  const [leaf, ...others] = chainOf(socket).map(certificateOrError);
  return { leaf, intermediates: others.filter((each): each is Certificate => typeof each !== "string") };
}

/** The leaf first. A self-signed certificate is its own issuer. */
function chainOf(socket: Pick<TLSSocket, "getPeerCertificate">): readonly Buffer[] {
  const chain: Buffer[] = [];
  let next: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (next?.raw !== undefined && chain.length < CHAIN_MAX) {
    chain.push(next.raw);
    next = next.issuerCertificate === next ? undefined : next.issuerCertificate;
  }
  return chain;
}
