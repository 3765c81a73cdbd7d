// TLS connections to webhooks. The server is verified as in Go before the first byte of a request is sent. OpenSSL
// verifies the chain too, but its verdict does not close the connection.
import { isIP } from "node:net";
import type { TLSSocket } from "node:tls";
import { connect } from "node:tls";
import { pemText } from "../../../apimachinery/go/pem.ts";
import { type CaBundle, readCaBundle } from "../../../apimachinery/go/x509/ca-bundle.ts";
import { systemClock } from "../../../apimachinery/meta/clock.ts";
import { hostComplaint } from "../tls/host-names.ts";
import { peerChain } from "../tls/peer-chain.ts";
import { validityComplaint } from "../tls/verify-chain.ts";
import { verifyServerChain } from "../tls/verify-server.ts";

export interface Peer {
  readonly host: string;
  readonly port: number;
  /** The expected host name of the certificate. */
  readonly servername: string;
  /** PEM; undefined: the system roots. */
  readonly ca: string | undefined;
  /** Whether HTTP/2 is offered too. */
  readonly offersHttp2: boolean;
}

/** Calls back once with a verified connection or with the error. */
export function connectVerified(
  peer: Peer,
  ended: AbortSignal,
  done: (error: Error | undefined, socket?: TLSSocket) => void,
): void {
  const bundle = peer.ca === undefined ? undefined : readCaBundle(peer.ca);
  const socket = connect({
    host: peer.host,
    port: peer.port,
    ...(isIP(peer.servername) === 0 ? { servername: peer.servername } : {}),
    ...(bundle === undefined ? {} : { ca: bundle.certificates.map(({ der }) => pemOf(der)) }),
    rejectUnauthorized: false,
    allowPartialTrustChain: true,
    ALPNProtocols: peer.offersHttp2 ? ["h2", "http/1.1"] : ["http/1.1"],
  });
  const settle = (error: Error | undefined): void => {
    socket.off("error", settle).off("close", onClose).on("error", ignored);
    ended.removeEventListener("abort", onEnd);
    if (error === undefined) socket.off("error", ignored);
    else socket.destroy();
    done(error, socket);
  };
  const onClose = () => settle(new Error("EOF"));
  const onEnd = () => settle(new Error("the connection is no longer needed"));
  socket.once("error", settle).once("close", onClose);
  ended.addEventListener("abort", onEnd);
  socket.once("secureConnect", () => {
    const complaint = complaintOf(socket, peer.servername, bundle);
    settle(
      complaint === undefined ? undefined : new Error(`tls: failed to verify certificate: ${complaint}`),
    );
  });
}

const ignored = (): void => {};

const pemOf = (der: Buffer): string => pemText("CERTIFICATE", der);

/** Why the server is not the expected one; undefined: it is. Without a bundle Node's roots are used. */
function complaintOf(socket: TLSSocket, host: string, bundle: CaBundle | undefined): string | undefined {
  const { leaf, intermediates } = peerChain(socket);
  if (leaf === undefined) return "x509: the server has no certificate";
  if (typeof leaf === "string") return leaf;
  const nowMs = systemClock.now();
  if (bundle === undefined) {
    const own = validityComplaint(leaf, nowMs) ?? hostComplaint(leaf, host);
    return own ?? (socket.authorized ? undefined : UNKNOWN_AUTHORITY);
  }
  const verdict = verifyServerChain({
    leaf,
    intermediates,
    roots: bundle.certificates,
    host,
    nowMs,
  });
  if ("error" in verdict) return verdict.error;
  return verdict.constrained && !socket.authorized ? CONSTRAINED : undefined;
}

const UNKNOWN_AUTHORITY = "x509: certificate signed by unknown authority";
const CONSTRAINED = "x509: a root or intermediate certificate is not authorized to sign for this name";
