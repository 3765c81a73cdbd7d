// One request to a webhook and its response, over HTTP/1.1 or HTTP/2.
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { type ClientHttp2Session, constants, type IncomingHttpHeaders as Http2Headers } from "node:http2";
import { request as httpsRequest } from "node:https";
import { yieldToEventLoop } from "../../../apimachinery/scheduling/event-loop.ts";
import { answerBytesMax, readBody } from "./answer-body.ts";
import { type Connections, Http2Negotiated, type PeerOptions } from "./connections.ts";
import type { Peer } from "./verified-socket.ts";

export interface WebhookRequest {
  readonly method: "POST" | "GET";
  /** The Host header. */
  readonly authority: string;
  /** With the query. */
  readonly path: string;
  readonly body: Buffer | undefined;
  readonly peer: Peer | undefined;
  /** Without a peer: plain HTTP, after a redirect. */
  readonly plain: { readonly host: string; readonly port: number } | undefined;
  /** Aborts the request and the reading of its response. */
  readonly signal: AbortSignal;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders | Http2Headers;
  readonly body: Buffer;
}

/** Headers of client-go's webhook clients in a kube-apiserver. */
const HEADERS = {
  accept: "application/json, */*",
  "content-type": "application/json",
  "user-agent": "kube-apiserver-admission",
  "accept-encoding": "gzip",
};
/** Header limit of Go's transport. */
const HEADER_BYTES_MAX = 10 * 1024 * 1024;

export async function exchange(request: WebhookRequest, connections: Connections): Promise<RawAnswer> {
  const session = request.peer && connections.sessionWith(request.peer);
  if (session !== undefined) return await overHttp2(request, session);
  try {
    return await overHttp1(request, connections);
  } catch (error) {
    if (error instanceof Http2Negotiated) return await overHttp2(request, error.session);
    throw error;
  }
}

async function overHttp1(request: WebhookRequest, { agent }: Connections): Promise<RawAnswer> {
  const { method, authority, path, body, peer, plain, signal } = request;
  await yieldToEventLoop(); // by then, an idle connection that the server has closed is detected
  const length = body === undefined ? {} : { "content-length": body.length };
  const headers = { host: authority, ...HEADERS, ...length };
  const shared = { method, path, headers, signal, maxHeaderSize: HEADER_BYTES_MAX };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const peerOptions: PeerOptions | undefined = peer && { peer, ended: signal };
    const sent =
      peerOptions === undefined
        ? httpRequest({ ...shared, ...plain, agent: false })
        : httpsRequest({ ...shared, ...peerOptions, agent });
    sent.on("response", resolve).on("error", reject);
    sent.end(body);
  });
  const { statusCode: status = 0, headers: answered } = response;
  const bytesMax = answerBytesMax(body?.length ?? 0);
  return {
    status,
    headers: answered,
    body: await readBody(response, answered["content-encoding"], bytesMax),
  };
}

async function overHttp2(request: WebhookRequest, session: ClientHttp2Session): Promise<RawAnswer> {
  const { method, authority, path, body, signal } = request;
  const length = body === undefined ? {} : { "content-length": body.length };
  const target = { ":method": method, ":authority": authority, ":path": path, ":scheme": "https" };
  const stream = session.request({ ...target, ...HEADERS, ...length }, { signal });
  const answered = await new Promise<Http2Headers>((resolve, reject) => {
    stream.on("response", resolve).on("error", reject);
    stream.on("close", () => reject(new Error(`stream error: ${codeName(stream.rstCode)}`)));
    stream.end(body);
  });
  const status = Number(answered[":status"] ?? 0);
  const bytesMax = answerBytesMax(body?.length ?? 0);
  return { status, headers: answered, body: await readBody(stream, answered["content-encoding"], bytesMax) };
}

function codeName(code: number): string {
  const found = Object.entries(constants).find(
    ([name, value]) => name.startsWith("NGHTTP2_") && value === code,
  );
  return found?.[0].replace("NGHTTP2_", "") ?? String(code);
}
