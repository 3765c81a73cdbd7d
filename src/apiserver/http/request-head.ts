// Validation of HTTP/1 request heads as in Go's net/http (net/http/server.go, readRequest), where Node's parser is
// more lenient: exactly one valid Host header, a version of HTTP/1, and chunked as the only transfer coding.
// Differences between the parsers of a proxy and a server enable request smuggling. HTTP/2 has no such ambiguity.
import type { IncomingMessage, ServerResponse } from "node:http";

export interface RefusedHead {
  /** 0: no response, because the connection is closing after an earlier one. */
  readonly code: 0 | 200 | 400 | 501 | 505;
  readonly text: string;
}

const BAD_REQUEST = "400 Bad Request";
const MALFORMED: RefusedHead = { code: 400, text: BAD_REQUEST };
const WITHOUT_HOST: RefusedHead = { code: 400, text: `${BAD_REQUEST}: missing required Host header` };
const WRONG_HOST: RefusedHead = { code: 400, text: `${BAD_REQUEST}: malformed Host header` };
const WRONG_VERSION: RefusedHead = {
  code: 505,
  text: "505 HTTP Version Not Supported: unsupported protocol version",
};
const WRONG_CODING: RefusedHead = { code: 501, text: "Unsupported transfer encoding" };
/** OPTIONS * addresses the server itself. */
const WHOLE_SERVER: RefusedHead = { code: 200, text: "" };

/** golang.org/x/net/http/httpguts.ValidHostHeader. */
const HOST = /^[\w!$%&()*+,\-.:;=['\]~]*$/;
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)(.*)$/is;

const CLOSING: RefusedHead = { code: 0, text: "" };

type HeadCheck = (message: IncomingMessage) => RefusedHead | undefined;

/**
 * Validates request heads. After a rejection, further bytes on the connection are not treated as requests, although
 * Node would parse bytes that it has already received.
 */
export function createHeadCheck(): HeadCheck {
  const refusal = createRules();
  const closing = new WeakSet<object>();
  let anyClosing = false;
  return (message) => {
    if (anyClosing && closing.has(message.socket)) return CLOSING;
    const refused = refusal(message);
    if (refused === undefined || refused.code === 200) return refused;
    anyClosing = true;
    closing.add(message.socket);
    return refused;
  };
}

/** An absolute-form target is split into Host header and path (RFC 9112 section 3.2.2). */
function createRules(): HeadCheck {
  let passed: string | undefined; // nearly all requests name the same host
  return (message) => {
    const { httpVersion } = message;
    if (message.httpVersionMajor === 2 && "stream" in message) return undefined;
    if (httpVersion !== "1.1") {
      if (httpVersion === "0.9") return MALFORMED; // a request line without a version
      if (httpVersion !== "1.0") return WRONG_VERSION;
    }
    const { headers, url = "/" } = message;
    const coding = headers["transfer-encoding"];
    if (coding !== undefined) {
      if (httpVersion === "1.0") return MALFORMED;
      if (coding.toLowerCase() !== "chunked") return WRONG_CODING;
    }
    const hosts = countHosts(message.rawHeaders);
    if (hosts > 1) return MALFORMED;
    if (hosts === 0 && httpVersion === "1.1") return WITHOUT_HOST;
    const { host = "" } = headers;
    if (host !== passed) {
      if (!HOST.test(host)) return WRONG_HOST;
      passed = host;
    }
    if (url.charCodeAt(0) === SLASH) return undefined;
    if (url === "*" && message.method === "OPTIONS") return WHOLE_SERVER;
    return takeAuthority(message, url);
  };
}

const SLASH = 47;

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") count++;
  }
  return count;
}

/** The authority of the target replaces the Host header, without user information. */
function takeAuthority(message: IncomingMessage, url: string): RefusedHead | undefined {
  const [, authority, rest = ""] = ABSOLUTE.exec(url) ?? [];
  if (authority === undefined) return undefined;
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  if (!HOST.test(host)) return MALFORMED;
  message.url = rest.startsWith("/") ? rest : `/${rest}`;
  if (host !== "") message.headers.host = host;
  return undefined;
}

interface RequestScope {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
}

/** The last request with a body of each connection. */
const withBody = new WeakMap<object, RequestScope>();

/** Call it for each request with a body, before its response. */
export function noteBody(message: IncomingMessage, response: ServerResponse): void {
  withBody.set(message.socket, { message, response });
}

/**
 * Whether the request that is being read has its response already. An error in the rest of its body must not cause a
 * second response: the client would take it for the response to its next request.
 */
export function hasAnswer(socket: object): boolean {
  const exchange = withBody.get(socket);
  return exchange?.response.headersSent === true && !exchange.message.complete;
}

/** Sends a plain-text response and closes the connection. */
export function refuseHead(response: ServerResponse, { code, text }: RefusedHead): void {
  if (code === 0) return;
  const headers: Record<string, string> = { "content-length": String(Buffer.byteLength(text)) };
  if (code !== 200)
    Object.assign(headers, { "content-type": "text/plain; charset=utf-8", connection: "close" });
  response.writeHead(code, headers).end(text);
}
