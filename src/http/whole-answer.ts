// An answer whose body is there as a whole, on its way to the client. It goes past the framework, which would look at each
// header again; and on HTTP/1.1 a short one leaves in one piece with its headers.
import { type OutgoingHttpHeader, ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import type { ApiResponse } from "../apiserver/api-request.ts";
import type { Deadlines } from "./deadlines.ts";
import { cutWhenUnread } from "./limits.ts";

/** Up to here it costs less to copy a body behind its headers than to hand over both. */
const SHORT_BYTES_MAX = 16 * 1024;
const NOTHING = new Uint8Array();

/** What every answer has beside its own headers, which go first. */
export type CommonHeaders = Readonly<Record<string, string>>;

export interface WholeAnswer extends Pick<ApiResponse, "status" | "headers"> {
  readonly common: CommonHeaders;
  readonly body: Uint8Array | undefined;
  /** So long may the client take to read it before its connection is broken; undefined: for ever. */
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
  // What the system has taken already need not be waited for.
  if (unreadMs !== undefined && raw.writableLength > 0) cutWhenUnread(raw, deadlines, unreadMs);
}

/** Names and values in turns, which Node writes as they are. */
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
