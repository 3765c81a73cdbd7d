// A browser page cannot set headers of a WebSocket request, but it can name subprotocols. One of them may carry a
// bearer token, which is moved to the Authorization header and removed from the subprotocols.
import type { IncomingHttpHeaders } from "node:http";

const PREFIX = "base64url.bearer.authorization.k8s.io.";
const BASE64URL = /^[-_0-9A-Za-z]*$/;
const HEADER = "sec-websocket-protocol";

/** The headers with the token moved to Authorization; undefined when the subprotocols are invalid. */
export function withProtocolToken(headers: IncomingHttpHeaders): IncomingHttpHeaders | undefined {
  const named = (headers[HEADER] ?? "").split(",").map((protocol) => protocol.trim());
  const tokens = named.filter((protocol) => protocol.startsWith(PREFIX));
  const protocols = named.filter((protocol) => !protocol.startsWith(PREFIX));
  const { [HEADER]: _, ...others } = headers;
  const rest = protocols.some((protocol) => protocol !== "")
    ? { ...others, [HEADER]: protocols.join(", ") }
    : others;
  const [first, second] = tokens;
  if (first === undefined) return rest;
  const token = decodeToken(first.slice(PREFIX.length));
  // The response must name an agreed subprotocol, so another one is required.
  if (second !== undefined || protocols.length === 0 || token === undefined) return undefined;
  return token === "" ? rest : { ...rest, authorization: headers.authorization ?? `Bearer ${token}` };
}

function decodeToken(text: string): string | undefined {
  if (!BASE64URL.test(text) || text.length % 4 === 1) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(text, "base64url"));
  } catch {
    return undefined;
  }
}
