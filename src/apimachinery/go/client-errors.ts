// Errors between a server and its webhook, in the words of Go's net/http and of client-go.
import { getServers } from "node:dns";
import { isIPv6 } from "node:net";
import { mediaTypeError, mediaTypeOf } from "./media-type.ts";
import { goQuote } from "./strconv.ts";

/** The failed request, if it was not the first one of a call, and whether its response had begun. */
export class ExchangeError extends Error {
  readonly url: string | undefined;

  constructor(url: string | undefined, cause: unknown) {
    super(describeNetworkError(cause), { cause });
    this.url = url;
  }

  static at(url: string, cause: unknown): ExchangeError {
    return cause instanceof ExchangeError ? cause : new ExchangeError(url, cause);
  }

  /** The same failure with another reason. */
  because(cause: Error): ExchangeError {
    return new ExchangeError(this.url, cause);
  }
}

/** The body of a response cannot be read completely. */
export class AnswerBodyError extends ExchangeError {
  readonly #ofStream: boolean;

  constructor(cause: Error, { ofStream = false } = {}) {
    super(undefined, cause);
    this.#ofStream = ofStream;
  }

  override because(cause: Error): AnswerBodyError {
    return new AnswerBodyError(cause);
  }

  get text(): string {
    const what = this.#ofStream
      ? "stream error when reading response body, may be caused by closed connection"
      : "unexpected error when reading response body";
    return `${what}. Please retry. Original error: ${this.message}`;
  }
}

/** client-go's error for a failed POST to the URL. */
export function describeExchange(url: string, error: unknown): string {
  if (error instanceof AnswerBodyError) return error.text;
  const at = error instanceof ExchangeError ? (error.url ?? url) : url;
  return `Post ${goQuote(at)}: ${describeNetworkError(error)}`;
}

/** Coroutine of connection setup. */
const DIALLING: ReadonlyMap<unknown, string> = new Map([
  ["ECONNREFUSED", "connect: connection refused"],
  ["EHOSTUNREACH", "connect: no route to host"],
  ["ENETUNREACH", "connect: network is unreachable"],
  ["ETIMEDOUT", "i/o timeout"],
]);

/** TLS alerts by number, as Go's crypto/tls names them. */
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
  if (error instanceof AggregateError && error.errors.length > 0)
    return describeNetworkError(error.errors[0]);
  const { code = "", address = "", port = "", hostname = "" } = error as SystemError;
  const dialling = DIALLING.get(code);
  const host = address.includes(":") ? `[${address}]` : address;
  if (dialling !== undefined) return `dial tcp ${host}:${port}: ${dialling}`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return `dial tcp: lookup ${hostname}${nameServer()}: no such host`;
  if (code.startsWith("HPE_")) return describeParseError(error);
  if (code === "ECONNRESET" || code === "EPIPE") return "EOF";
  return code === "EPROTO" || code.startsWith("ERR_SSL_") ? describeTlsError(error) : error.message;
}

/** The name server that Go's resolver would use. */
function nameServer(): string {
  const [server] = getServers();
  if (server === undefined) return "";
  return ` on ${/^\[|^[^:]+:\d+$/.test(server) ? server : `${isIPv6(server) ? `[${server}]` : server}:53`}`;
}

/** The peer is no HTTP server. */
function describeParseError({ rawPacket }: SystemError): string {
  const line = rawPacket?.toString("utf8").split(/\r?\n/, 1)[0] ?? "";
  return `net/http: HTTP/1.x transport connection broken: malformed HTTP response ${goQuote(line)}`;
}

/** OpenSSL's messages contain the file and line of its source. */
function describeTlsError(error: SystemError): string {
  const alert = ALERT_NUMBER.exec(error.message)?.[1];
  if (alert !== undefined) return `remote error: tls: ${ALERTS.get(Number(alert)) ?? `alert(${alert})`}`;
  const { reason = "handshake failure" } = error;
  return reason === "wrong version number"
    ? "http: server gave HTTP response to HTTPS client"
    : `tls: ${reason}`;
}

/** Members of node's system errors. */
interface SystemError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  /** Set by Node's HTTP parser. */
  readonly rawPacket?: Buffer;
  /** Set by OpenSSL. */
  readonly reason?: string;
}

/** Codes whose text does not depend on the response (api/errors, NewGenericServerResponse). */
const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  409: "the server reported a conflict",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};
const NOT_ACCEPTABLE = "the server was unable to respond with a content type that the client supports";

const TEXT_BYTES_MAX = 2048;

/** The error for an unsuccessful response. */
export function describeStatus(code: number, contentType: string, body: Buffer): string {
  const known = STATUS_TEXTS[code];
  if (known !== undefined) return known;
  const isText = contentType === "" || isTextType(contentType);
  const said = isText ? body.subarray(0, TEXT_BYTES_MAX).toString("utf8").trim() : "unknown";
  if (code === 403 || code === 415) return said;
  if (code === 406) return said === "" || said === "unknown" ? NOT_ACCEPTABLE : said;
  if (code >= 500)
    return `an error on the server (${goQuote(said)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${code} but did not return more information`;
}

const isTextType = (contentType: string): boolean =>
  mediaTypeError(contentType) === undefined && mediaTypeOf(contentType).startsWith("text/");
