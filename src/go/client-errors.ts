// What goes wrong between a server and its webhook, in the words of Go's net/http and of client-go.

/** What happens while a connection is made. */
const DIALLING: ReadonlyMap<unknown, string> = new Map([
  ["ECONNREFUSED", "connect: connection refused"],
  ["EHOSTUNREACH", "connect: no route to host"],
  ["ENETUNREACH", "connect: network is unreachable"],
  ["ETIMEDOUT", "i/o timeout"],
]);

/** Alerts of TLS by number, as Go's crypto/tls names them. */
const ALERTS: ReadonlyMap<number, string> = new Map([
  [10, "unexpected message"],
  [20, "bad record MAC"],
  [22, "record overflow"],
  [40, "handshake failure"],
  [42, "bad certificate"],
  [43, "unsupported certificate"],
  [44, "revoked certificate"],
  [45, "expired certificate"],
  [46, "unknown certificate"],
  [47, "illegal parameter"],
  [48, "unknown certificate authority"],
  [49, "access denied"],
  [50, "error decoding message"],
  [51, "error decrypting message"],
  [70, "protocol version not supported"],
  [71, "insufficient security level"],
  [80, "internal error"],
  [86, "inappropriate fallback"],
  [90, "user canceled"],
  [109, "missing extension"],
  [110, "unsupported extension"],
  [112, "unrecognized name"],
  [116, "certificate required"],
  [120, "no application protocol"],
]);
const ALERT_NUMBER = /SSL alert number (\d+)/;

/** An error of node's sockets, TLS or resolver, in one line. */
export function describeNetworkError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code = "", address = "", port = "", hostname = "" } = error as SystemError;
  const dialling = DIALLING.get(code);
  const host = address.includes(":") ? `[${address}]` : address;
  if (dialling !== undefined) return `dial tcp ${host}:${port}: ${dialling}`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `dial tcp: lookup ${hostname}: no such host`;
  if (code === "ECONNRESET" || code === "EPIPE") return "EOF";
  return code === "EPROTO" || code.startsWith("ERR_SSL_") ? describeTlsError(error) : error.message;
}

/** OpenSSL's messages have the file and line of its source. */
function describeTlsError(error: SystemError): string {
  const alert = ALERT_NUMBER.exec(error.message)?.[1];
  if (alert !== undefined) return `remote error: tls: ${ALERTS.get(Number(alert)) ?? `alert(${alert})`}`;
  const { reason = "handshake failure" } = error;
  return reason === "wrong version number"
    ? "http: server gave HTTP response to HTTPS client"
    : `tls: ${reason}`;
}

/** Members that node's system errors have. */
interface SystemError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  /** Of an error of OpenSSL. */
  readonly reason?: string;
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
