// Writes a response whose body is complete. It bypasses the framework, which would process each header again. On
// HTTP/1.1 a short response is written in one piece with its headers.
import { type OutgoingHttpHeader, ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import type { ApiResponse } from "../endpoints/api-request.ts";
import type { Deadlines } from "./deadlines.ts";
import { cutWhenUnread } from "./limits.ts";

/** Up to this size, copying the body behind the headers is cheaper than two writes. */
const SHORT_BYTES_MAX = 16 * 1024;
const NOTHING = new Uint8Array();

/** Headers of every response; they precede the response's own. */
export type CommonHeaders = Readonly<Record<string, string>>;

export interface WholeAnswer extends Pick<ApiResponse, "status" | "headers"> {
  readonly common: CommonHeaders;
  readonly body: Uint8Array | undefined;
  /** How long the client may take to read the response before the connection is broken; undefined: no limit. */
  readonly unreadMs: number | undefined;
}

export function sendWhole(reply: FastifyReply, answer: WholeAnswer, deadlines: Deadlines): void {
  const { raw } = reply;
  const { status, body = NOTHING, unreadMs } = answer;
  reply.hijack();
  raw.writeHead(status, rawHeaders(answer, body.byteLength));
  if (raw instanceof ServerResponse && body.byteLength <= SHORT_BYTES_MAX) {
    raw.end(asBuffer(body).toString("latin1"), "latin1"); // byte for byte
  } else {
    raw.end(body);
  }
  // Bytes that the system has accepted need no deadline.
  if (unreadMs !== undefined && raw.writableLength > 0) cutWhenUnread(raw, deadlines, unreadMs);
}

/** Alternating names and values, which Node writes unchanged. */
function rawHeaders({ headers, common }: WholeAnswer, length: number): OutgoingHttpHeader[] {
  const raw: OutgoingHttpHeader[] = [];
  for (const name in common) {
    if (headers[name] === undefined) raw.push(name, common[name] ?? "");
  }
  for (const name in headers) raw.push(name, headers[name] ?? "");
  if (headers["content-length"] === undefined) raw.push("content-length", length);
  return raw;
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
