// What goes wrong between a server and its webhook, in the words of Go's net/http and of client-go.

/** What happens while a connection is made. */
const DIALLING: ReadonlyMap<unknown, string> = new Map([
  ["ECONNREFUSED", "connect: connection refused"],
  ["EHOSTUNREACH", "connect: no route to host"],
  ["ENETUNREACH", "connect: network is unreachable"],
  ["ETIMEDOUT", "i/o timeout"],
]);

const CERTIFICATE = "tls: failed to verify certificate: x509:";
const UNKNOWN_AUTHORITY = `${CERTIFICATE} certificate signed by unknown authority`;

const TEXTS: ReadonlyMap<unknown, string> = new Map([
  ["ECONNRESET", "EOF"],
  ["EPROTO", "http: server gave HTTP response to HTTPS client"],
  ["CERT_HAS_EXPIRED", `${CERTIFICATE} certificate has expired or is not yet valid`],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", UNKNOWN_AUTHORITY],
  ["UNABLE_TO_GET_ISSUER_CERT", UNKNOWN_AUTHORITY],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", UNKNOWN_AUTHORITY],
  ["SELF_SIGNED_CERT_IN_CHAIN", UNKNOWN_AUTHORITY],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", UNKNOWN_AUTHORITY],
]);

/** An error of node's sockets, TLS or resolver. */
export function describeNetworkError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, address = "", port = "", hostname = "" } = error as SystemError;
  const dialling = DIALLING.get(code);
  const host = address.includes(":") ? `[${address}]` : address;
  if (dialling !== undefined) return `dial tcp ${host}:${port}: ${dialling}`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `dial tcp: lookup ${hostname}: no such host`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return `${CERTIFICATE} ${error.message}`;
  return TEXTS.get(code) ?? error.message;
}

/** Members that node's system errors have. */
interface SystemError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
}

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  403: "unknown",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  406: "unknown",
  409: "the server reported a conflict",
  410: "the server no longer has the requested resource",
  415: "the server was unable to understand the content type",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};

const TEXT_BYTES_MAX = 2048;

/** An answer that is no success. */
export function describeStatus(code: number, contentType: string, body: Buffer): string {
  const known = STATUS_TEXTS[code];
  const said = contentType.startsWith("text/")
    ? body.subarray(0, TEXT_BYTES_MAX).toString("utf8").trim()
    : "unknown";
  if (known !== undefined) return known === "unknown" ? said : known;
  if (code >= 500)
    return `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${code} but did not return more information`;
}
