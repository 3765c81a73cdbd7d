// Speaks with the server that a kubeconfig names, for the commands that ask a running server for something.
import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { type Access, RequestError, readAccess } from "./read-kubeconfig.ts";

/** One request to the server of a kubeconfig. */
export interface OutgoingRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With its query: "/egret/v1/export?kinds=pods". */
  readonly path: string;
  /** Sent as it is when it is text or bytes, else as JSON. */
  readonly body?: unknown;
  /** Default: "application/json" with a body. */
  readonly contentType?: string;
  /** Gives up when it aborts. */
  readonly signal?: AbortSignal;
}

/** The path of a file, or of several that are merged. */
export type Kubeconfigs = string | readonly string[];

export interface ReceivedAnswer {
  readonly status: number;
  readonly text: string;
  /** What the server warns of, in Warning headers. */
  readonly warnings: readonly string[];
}

/** Of a Warning header (RFC 7234): 299 - "text". */
const WARNING = /299 - "((?:[^"\\]|\\.)*)"/g;

/** Sends one request with the kubeconfig's current context and reads the whole answer, whatever its status.
 * Throws RequestError when there is no server to ask, or no kubeconfig. */
export async function requestWith(kubeconfig: Kubeconfigs, asked: OutgoingRequest): Promise<ReceivedAnswer> {
  const answer = await send(await readAccess([kubeconfig].flat()), asked);
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer); // a message without an encoding gives buffers
  const text = Buffer.concat(parts).toString("utf8");
  return { status: answer.statusCode ?? 0, text, warnings: warningsOf(answer.headers["warning"] ?? "") };
}

function warningsOf(header: string): string[] {
  const texts = [...header.matchAll(WARNING)].map(([, text = ""]) => text.replace(/\\(.)/g, "$1"));
  return texts.map((text) => Buffer.from(text, "latin1").toString("utf8"));
}

/** The body of the answer to a GET, as it comes. Throws RequestError when the answer is no success. */
export async function getWith(kubeconfig: Kubeconfigs, path: string): Promise<AsyncIterable<Buffer>> {
  const access = await readAccess([kubeconfig].flat());
  const answer = await send(access, { method: "GET", path });
  if (answer.statusCode === 200) return answer;
  answer.resume();
  throw new RequestError(`${access.server} has answered GET ${path} with ${answer.statusCode}`);
}

async function send({ server, token, tls }: Access, asked: OutgoingRequest): Promise<IncomingMessage> {
  const url = new URL(asked.path, server);
  const request = url.protocol === "https:" ? requestSecure : requestPlain;
  const bytes = bytesOf(asked.body);
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(bytes === undefined ? {} : { "content-type": asked.contentType ?? "application/json" }),
    ...(bytes === undefined ? {} : { "content-length": bytes.length }),
  };
  const signal = asked.signal === undefined ? {} : { signal: asked.signal };
  return await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, { method: asked.method, headers, ...tls, ...signal }, resolve);
    sent.on("error", (cause) =>
      reject(new RequestError(`${server} does not answer (${cause.message})`, { cause })),
    );
    sent.end(bytes);
  });
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}
