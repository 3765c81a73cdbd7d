// Requests out of the process: POST to webhooks, over TLS only. A server is verified as Go verifies it, before the first byte
// of a request is sent. Errors of the network are passed on as node has them.
import { request as httpRequest } from "node:http";
import { isIP } from "node:net";
import type { DetailedPeerCertificate, TLSSocket } from "node:tls";
import { connect } from "node:tls";
import { type CaBundle, certificateOrError, readCaBundle } from "../go/x509/ca-bundle.ts";
import type { Certificate } from "../go/x509/certificate.ts";
import { type Clock, systemClock } from "../meta/clock.ts";
import { hostComplaint } from "./tls/host-names.ts";
import { validityComplaint, verifyServerChain } from "./tls/verify-server.ts";

/** One request; the registry, which calls webhooks, knows the same form. */
interface Post {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly servername: string;
  readonly ca: string | undefined;
  readonly body: string;
  readonly timeoutMs: number;
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/**
 * client-go reads answers of any size. Here an answer may be so long, which is more than a patch of the largest object takes,
 * and by this much longer for each byte of the request: a conversion returns as many objects as it receives.
 */
const ANSWER_BYTES = 8 * 1024 * 1024;
const ANSWER_BYTES_PER_BYTE = 4;
/** In the words of a Go client, for people who search for them. */
const TIMED_OUT = "context deadline exceeded";
const HTTPS_PORT = 443;

export function createWebhookClient(clock: Clock): (post: Post) => Promise<Answer> {
  return (post) =>
    new Promise((resolve, reject) => {
      const bundle = post.ca === undefined ? undefined : readCaBundle(post.ca);
      const socket = openSocket(post, bundle);
      const timer = clock.after(post.timeoutMs, () => fail(new Error(TIMED_OUT)));
      const fail = (error: Error): void => {
        socket.destroy();
        reject(error);
      };
      socket.on("error", fail);
      socket.on("close", () => {
        timer.cancel();
        reject(new Error("EOF")); // of no effect once there is an answer
      });
      socket.once("secureConnect", () => {
        const complaint = complaintOf(socket, post.servername, bundle);
        if (complaint !== undefined) fail(new Error(`tls: failed to verify certificate: ${complaint}`));
        else send(socket, post, resolve, fail);
      });
    });
}

/** OpenSSL verifies the chain as well, but its verdict is not what ends the connection. */
function openSocket({ host, port, servername }: Post, bundle: CaBundle | undefined): TLSSocket {
  const options = {
    host,
    port,
    ...(isIP(servername) === 0 ? { servername } : {}),
    ...(bundle === undefined ? {} : { ca: bundle.certificates.map(({ der }) => pemOf(der)) }),
    rejectUnauthorized: false,
    allowPartialTrustChain: true,
    ALPNProtocols: ["http/1.1"],
  };
  return connect(options);
}

const pemOf = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString("base64")}\n-----END CERTIFICATE-----\n`;

/** Why the server is not the one that is meant; undefined: it is. Without a bundle the roots are those of Node. */
function complaintOf(socket: TLSSocket, host: string, bundle: CaBundle | undefined): string | undefined {
  const [leaf, ...intermediates] = chainOf(socket.getPeerCertificate(true)).map(certificateOrError);
  if (leaf === undefined) return "x509: the server has no certificate";
  if (typeof leaf === "string") return leaf;
  const nowMs = systemClock.now();
  if (bundle === undefined) {
    const own = validityComplaint(leaf, nowMs) ?? hostComplaint(leaf, host);
    return own ?? (socket.authorized ? undefined : UNKNOWN_AUTHORITY);
  }
  const verdict = verifyServerChain({
    leaf,
    intermediates: intermediates.filter((each): each is Certificate => typeof each !== "string"),
    roots: bundle.certificates,
    host,
    nowMs,
  });
  if ("error" in verdict) return verdict.error;
  return verdict.constrained && !socket.authorized ? CONSTRAINED : undefined;
}

const UNKNOWN_AUTHORITY = "x509: certificate signed by unknown authority";
const CONSTRAINED = "x509: a root or intermediate certificate is not authorized to sign for this name";
/** OpenSSL sends and accepts no longer chains by itself. */
const CHAIN_MAX = 100;

/** The leaf first. A certificate that has signed itself names itself as its issuer. */
function chainOf(leaf: DetailedPeerCertificate | undefined): readonly Buffer[] {
  const chain: Buffer[] = [];
  let next = leaf;
  while (next?.raw !== undefined && chain.length < CHAIN_MAX) {
    chain.push(next.raw);
    next = next.issuerCertificate === next ? undefined : next.issuerCertificate;
  }
  return chain;
}

function send(
  socket: TLSSocket,
  { port, path, servername, body }: Post,
  resolve: (answer: Answer) => void,
  fail: (error: Error) => void,
): void {
  const name = isIP(servername) === 6 ? `[${servername}]` : servername;
  const headers = {
    host: port === HTTPS_PORT ? name : `${name}:${port}`,
    "content-type": "application/json",
    accept: "application/json, */*",
    "content-length": Buffer.byteLength(body),
    connection: "close",
  };
  const bytesMax = ANSWER_BYTES + headers["content-length"] * ANSWER_BYTES_PER_BYTE;
  const request = httpRequest(
    { createConnection: () => socket, method: "POST", path, headers },
    (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > bytesMax) fail(new Error(`the answer is larger than ${bytesMax} bytes`));
        else chunks.push(chunk);
      });
      response.on("error", fail);
      response.on("end", () => {
        const { statusCode = 0, headers: answered } = response;
        resolve({
          status: statusCode,
          contentType: answered["content-type"] ?? "",
          body: Buffer.concat(chunks),
        });
        socket.destroy();
      });
    },
  );
  request.on("error", fail);
  request.end(body);
}
