// Requests and responses of the API machinery, without sockets or a web framework. Also the hooks that the HTTP
// server calls for fault injection and the request log, which the control API implements.
import { failure, type StatusError } from "../../apimachinery/meta/status.ts";
import type { UserInfo } from "../registry/definition/request-context.ts";
import type { Query, RequestInfo } from "./request/request-info.ts";

/** The user in the Impersonate-* headers; "" for missing parts. */
export interface ImpersonatedUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export interface ApiRequest {
  readonly method: string;
  /** Decoded path without the query. */
  readonly path: string;
  readonly query: Query;
  /** The RequestInfo of method, path and query, parsed once on arrival. */
  readonly info: RequestInfo;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array | undefined;
  /** Reads the body; may be called once. Throws StatusError. */
  readonly readBody?: ((bytesMax?: number) => Promise<Uint8Array>) | undefined;
  /** Streams a body of any length, instead of readBody. Throws StatusError. */
  readonly streamBody?: (() => AsyncIterable<Uint8Array>) | undefined;
  /** The authenticated user; `impersonate` names another user, if requested. */
  readonly user: UserInfo;
  readonly impersonate?: ImpersonatedUser | undefined;
  /** The client's address; absent without a socket. */
  readonly remoteAddress?: string | undefined;
  /** A read returns this past revision, whatever its query requests (fault injection). */
  readonly readAt?: number | undefined;
  /** Set after authentication: earlier responses name no FlowSchema. */
  readonly flow?: { headers: FlowHeaders | undefined } | undefined;
  /** Aborts when the client disconnects or the server stops; for slow responses. */
  readonly gone?: (() => AbortSignal) | undefined;
}

/** Response headers that name the FlowSchema and the priority level of the request. */
export type FlowHeaders = Readonly<Record<string, string>>;

/** Receives the chunks of a streamed body. */
export interface BodySink {
  /**
   * Resolves when more may be written; undefined: at once. Never throws: a client that disconnects aborts the
   * signal.
   */
  write(chunk: Uint8Array): Promise<void> | undefined;
  /** Breaks the connection if it waits for the client. Unread bytes are lost, and the signal aborts. */
  cut?(): void;
}

/** Writes a body chunk by chunk. The signal aborts when the client disconnects or the server stops. */
export type StreamBody = (sink: BodySink, signal: AbortSignal) => Promise<void>;

export interface ApiResponse {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  readonly body: Uint8Array | StreamBody | undefined;
  /** Bytes of memory that a streamed body holds besides written ones; absent: as for one object. */
  readonly heldBytes?: number | undefined;
  /** The revision of the body, where the verb knows it; for the log. */
  readonly revision?: number | undefined;
}

/** Releases a response that is not sent: a streamed body holds resources until it has been written. */
export async function discardBody({ body }: ApiResponse): Promise<void> {
  if (typeof body === "function") await body({ write: () => undefined }, AbortSignal.abort());
}

export const JSON_TYPE = "application/json";
export const YAML_TYPE = "application/yaml";
export const TEXT_TYPE = "text/plain; charset=utf-8";

export function textResponse(status: number, text: string): ApiResponse {
  return { status, headers: { "content-type": TEXT_TYPE }, body: Buffer.from(text) };
}

export function methodNotAllowed(): StatusError {
  const message = "the server does not allow this method on the requested resource";
  return failure({ code: 405, reason: "MethodNotAllowed", message, details: {} });
}

/** The response of a kube-apiserver to an unknown path. */
export function pageNotFound(): ApiResponse {
  return textResponse(404, "404 page not found\n");
}

/** The connection of a request, for fault injection. */
export interface Connection {
  /** Resets the TCP connection. The client may lose unread bytes. */
  reset(): void;
  /** Closes the connection once the written bytes are sent, also when the response is incomplete. */
  close(): void;
  /** Closes the sending side once the written bytes are sent, and continues to read. */
  halfClose(): void;
  /** Aborts when the client disconnects or the server stops. */
  readonly gone: AbortSignal;
}

/** Replaces or alters the API's response. */
export interface Intervention {
  /** undefined: the connection has been broken. Never rejects. */
  answer(
    api: (request: ApiRequest) => Promise<ApiResponse>,
    connection: Connection,
  ): Promise<ApiResponse | undefined>;
  /** The interventions so far, for the log. */
  readonly cause: string;
}

export interface RequestGate {
  /** Whether intercept() requires the body, which is otherwise read after authorization. */
  wantsBody(info: RequestInfo): boolean;
  /** Called once per authenticated request; undefined: no intervention. */
  intercept(request: ApiRequest): Intervention | undefined;
  /** The body of a watch, possibly altered. */
  watching(watch: OpenedWatch): WatchBody;
}

export interface OpenedWatch {
  readonly request: ApiRequest;
  readonly response: ApiResponse;
  readonly body: StreamBody;
  /** Created on demand. */
  connection(): Connection;
}

export interface WatchBody {
  readonly body: StreamBody;
  /** The interventions so far, for the log. */
  readonly cause: string;
}

/** One request and its outcome, unprocessed: most records are never read. */
export interface RequestRecord {
  /** A watch has two records: "started" and "ended". */
  readonly stage: "complete" | "started" | "ended";
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly info: RequestInfo;
  readonly user: string;
  readonly userAgent: string;
  /** 0: the connection was broken before a response. */
  readonly status: number;
  /** Milliseconds since the epoch. */
  readonly startedMs: number;
  readonly endedMs: number;
  /** The interventions; "" without one. */
  readonly cause: string;
  /** The revision of the response, where it is known without decoding. */
  readonly revision: number | undefined;
}

export interface RequestObserver {
  add(record: RequestRecord): void;
}

export interface RequestHooks {
  readonly gate: RequestGate;
  readonly observer: RequestObserver;
}
