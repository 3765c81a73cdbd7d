// What may look at requests and get between them and their answers: the request log and faults. The HTTP server calls
// these hooks; the control room keeps them.
import type { ApiRequest, ApiResponse, StreamBody } from "./api-request.ts";
import type { RequestInfo } from "./request/request-info.ts";

/** The connection that a request came by, for those who mean to break it. */
export interface Connection {
  /** Ends it with a TCP reset. The client may lose what it has not read yet. */
  reset(): void;
  /** Closes it once what has been written is sent, whatever is missing of the answer. */
  close(): void;
  /** Says that nothing more will be sent once what has been written is sent, and goes on reading. */
  halfClose(): void;
  /** Aborts when the client has gone or the server stops. */
  readonly gone: AbortSignal;
}

/** Answers in the place of the API, or with its help. */
export interface Intervention {
  /** undefined: there is no answer, the connection has been broken. Never rejects. */
  answer(
    api: (request: ApiRequest) => Promise<ApiResponse>,
    connection: Connection,
  ): Promise<ApiResponse | undefined>;
  /** What has intervened so far, for the log. */
  readonly cause: string;
}

export interface RequestGate {
  /** Whether intercept() has to see the body, which is otherwise read when it is known that its sender may act. */
  wantsBody(info: RequestInfo): boolean;
  /** Called once for each request of a known user; undefined: it goes its usual way. */
  intercept(request: ApiRequest): Intervention | undefined;
  /** The body of a watch as it is to be sent. */
  watching(watch: OpenedWatch): WatchBody;
}

export interface OpenedWatch {
  readonly request: ApiRequest;
  readonly response: ApiResponse;
  readonly body: StreamBody;
  /** Made when it is needed. */
  connection(): Connection;
}

export interface WatchBody {
  readonly body: StreamBody;
  /** What has intervened so far, for the log. */
  readonly cause: string;
}

/** One request and its outcome, as raw as they come: most are never read. */
export interface RequestRecord {
  /** A watch is told of twice. */
  readonly stage: "complete" | "started" | "ended";
  readonly method: string;
  /** Path and query as they were sent. */
  readonly url: string;
  readonly info: RequestInfo;
  readonly user: string;
  readonly userAgent: string;
  /** 0: the connection was broken before there was an answer. */
  readonly status: number;
  /** Milliseconds since the epoch. */
  readonly startedMs: number;
  readonly endedMs: number;
  /** What intervened; "" when nothing did. */
  readonly cause: string;
  /** The revision that the answer shows, where it is known without looking. */
  readonly revision: number | undefined;
}

export interface RequestObserver {
  add(record: RequestRecord): void;
}

export interface RequestHooks {
  readonly gate: RequestGate;
  readonly observer: RequestObserver;
}
