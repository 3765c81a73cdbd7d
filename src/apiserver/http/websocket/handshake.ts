// Validation of a WebSocket handshake after the watch itself is accepted, with the status and text of a
// kube-apiserver.
import type { IncomingHttpHeaders } from "node:http";
import { type ApiResponse, textResponse } from "../../endpoints/api-request.ts";

const VERSION = "13";
/** 16 bytes in base64. */
const KEY = /^[+/0-9A-Za-z]{22}==$/;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** The error response for an invalid handshake; undefined when it is valid. */
export function refuseHandshake(headers: IncomingHttpHeaders): ApiResponse | undefined {
  if (!KEY.test(headers["sec-websocket-key"] ?? "")) return textResponse(400, "mismatch challenge/response");
  if (headers["sec-websocket-version"] !== VERSION) {
    const { headers: common, ...refusal } = textResponse(400, "missing or bad WebSocket Version");
    return { ...refusal, headers: { ...common, "sec-websocket-version": VERSION } };
  }
  if (!headers.origin) return textResponse(403, ""); // a kube-apiserver requires Origin
  const protocol = headers["sec-websocket-protocol"];
  // A single subprotocol is accepted, whatever its name. Several are rejected, since none is selected.
  return protocol === undefined || TOKEN.test(protocol) ? undefined : textResponse(400, "");
}
