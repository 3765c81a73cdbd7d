// A stall: requests of one client that once blocked all other clients. Each has at most 3 MB and needs few permissions.
import { request as requestPlain } from "node:http";
import type { ServerAccess } from "../client/server-access.ts";

export interface Stall {
  /** The id of the row. */
  readonly id: string;
  readonly what: string;
  /** The statuses that a kube-apiserver may return to these requests, or Egret where it stops work beyond a limit. */
  readonly answers: readonly number[];
  /** Creates the prerequisites and the bodies. Resolves to the function that sends the measured requests. */
  arm(access: ServerAccess): Promise<Strike>;
}

/** Sends the requests. Resolves to the status of each answer once all have arrived. */
export type Strike = () => Promise<readonly number[]>;

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  /** The content type of the body. */
  readonly type?: string;
  readonly accept?: string;
  readonly body?: string | Buffer;
}

/** The body size of a stall: slightly below the limit of three mebibytes. */
export const BODY_BYTES = 3_000_000;
const ANSWER_MS_MAX = 120_000;
/** The status of a request whose connection ended without an answer. */
const NO_ANSWER = 0;

/** One after the other. */
export function inTurn(access: ServerAccess, requests: readonly RawRequest[]): Strike {
  return async () => {
    const statuses: number[] = [];
    for (const request of requests) statuses.push(await statusOf(access, request));
    return statuses;
  };
}

/** All at once. */
export function together(access: ServerAccess, requests: readonly RawRequest[]): Strike {
  return () => Promise.all(requests.map((request) => statusOf(access, request)));
}

/** Reads the answer to its end and discards it. 0 where the connection ended without one. */
export function statusOf(access: ServerAccess, request: RawRequest): Promise<number> {
  const { method, path, type = "application/json", accept = "application/json", body } = request;
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const typed = bytes === undefined ? {} : { "content-type": type, "content-length": bytes.length };
  return new Promise((resolve) => {
    const options = { method, headers: { ...access.headers, accept, ...typed }, timeout: ANSWER_MS_MAX };
    const sent = requestPlain(`${access.url}${path}`, options);
    let answered = false;
    sent.on("response", (answer) => {
      answered = true;
      answer.resume();
      answer.on("close", () => resolve(answer.statusCode ?? NO_ANSWER));
    });
    sent.on("timeout", () => sent.destroy());
    // A server that rejects a body may close the connection while it is still being sent.
    sent.on("error", () => {});
    sent.on("close", () => answered || resolve(NO_ANSWER));
    sent.end(bytes);
  });
}

/** Throws when an answer has another status. */
export async function must(access: ServerAccess, request: RawRequest, answers = [200, 201]): Promise<void> {
  const status = await statusOf(access, request);
  if (!answers.includes(status))
    throw new Error(`${request.method} ${request.path} was answered with ${status}`);
}

/** A text of the given size made of a repeated part. */
export function filled(part: string, bytes = BODY_BYTES): string {
  return part.repeat(Math.floor(bytes / part.length));
}

export function listOf<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
