// A request and an answer as the API machinery sees them: no sockets, no framework. And what may look at requests and get
// between them and their answers: the HTTP server calls these hooks; the control room keeps them.
import { failure, type StatusError } from "../meta/status.ts";
import type { UserInfo } from "../registry/definition/request-context.ts";
import type { Query, RequestInfo } from "./request/request-info.ts";

/** Who is wanted, as the headers say it; "" where they say nothing. */
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
  /** What method, path and query ask for: read once, where the request comes in. */
  readonly info: RequestInfo;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array | undefined;
  /** Reads the body, once, where it has not come yet. Throws StatusError. */
  readonly readBody?: ((bytesMax?: number) => Promise<Uint8Array>) | undefined;
  /** The body as it comes, of any length, in the place of readBody. Throws StatusError. */
  readonly streamBody?: (() => AsyncIterable<Uint8Array>) | undefined;
  /** Who has been recognised; he may ask to be taken for somebody else. */
  readonly user: UserInfo;
  readonly impersonate?: ImpersonatedUser | undefined;
  /** From where it has come; left out where that is not a socket. */
  readonly remoteAddress?: string | undefined;
  /** A read shows this past revision in the place of the present one, whatever its query says (faults). */
  readonly readAt?: number | undefined;
  /** Filled in once the user is known: an answer from before that names no FlowSchema. */
  readonly flow?: { headers: FlowHeaders | undefined } | undefined;
  /** A signal that aborts when the client has gone or the server stops; for answers that take long. */
  readonly gone?: (() => AbortSignal) | undefined;
}

/** The headers of an answer that name the FlowSchema of its request, and the priority level. */
export type FlowHeaders = Readonly<Record<string, string>>;

/** Takes the chunks of a streamed body. */
export interface BodySink {
  /** Resolves when more may be written; undefined when that is at once. Never throws: a client that has gone aborts the signal. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  /** Breaks the connection if it waits for its client; what has not been read is lost, and the signal aborts. */
  cut?(): void;
}

/** Writes a body piece by piece and resolves at its end. The signal aborts when the client has gone or the server stops. */
export type StreamBody = (sink: BodySink, signal: AbortSignal) => Promise<void>;

export interface ApiResponse {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  readonly body: Uint8Array | StreamBody | undefined;
  /** Bytes of memory that a streamed body holds beside what has been written; left out: as for a usual object. */
  readonly heldBytes?: number | undefined;
  /** The revision that the body shows, where the verb knows it; for the log. */
  readonly revision?: number | undefined;
}

/** For an answer that is not sent: a body that is streamed holds on to something until it has been written. */
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

/** What a real server says of a path that no handler knows. */
export function pageNotFound(): ApiResponse {
  return textResponse(404, "404 page not found\n");
}

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
