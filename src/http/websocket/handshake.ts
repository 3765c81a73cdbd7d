// What of a handshake a kube-apiserver refuses, once the watch itself would be served: it answers in a few bare words.
import type { IncomingHttpHeaders } from "node:http";
import { type ApiResponse, textResponse } from "../../apiserver/api-request.ts";

const VERSION = "13";
/** 16 bytes in base64. */
const KEY = /^[+/0-9A-Za-z]{22}==$/;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** The answer to a handshake that is not in order; undefined when it is. */
export function refuseHandshake(headers: IncomingHttpHeaders): ApiResponse | undefined {
  if (!KEY.test(headers["sec-websocket-key"] ?? "")) return textResponse(400, "mismatch challenge/response");
  if (headers["sec-websocket-version"] !== VERSION) {
    const { headers: common, ...refusal } = textResponse(400, "missing or bad WebSocket Version");
    return { ...refusal, headers: { ...common, "sec-websocket-version": VERSION } };
  }
  if (!headers.origin) return textResponse(403, ""); // a real server takes it for a page that hides where it comes from
  const protocol = headers["sec-websocket-protocol"];
  // One is agreed to, whatever it is called, but among several nobody chooses.
  return protocol === undefined || TOKEN.test(protocol) ? undefined : textResponse(400, "");
}
