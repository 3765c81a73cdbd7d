// A request and an answer as the API machinery sees them: no sockets, no framework.
import type { UserInfo } from "../registry/definition/request-context.ts";
import type { Query } from "./request/query.ts";
import type { RequestInfo } from "./request/request-info.ts";

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
  readonly readBody?: (() => Promise<Uint8Array>) | undefined;
  /** Who has been recognised; he may ask to be taken for somebody else. */
  readonly user: UserInfo;
  readonly impersonate?: ImpersonatedUser | undefined;
  /** A read shows this past revision in the place of the present one, whatever its query says (faults). */
  readonly readAt?: number | undefined;
  /** A signal that aborts when the client has gone or the server stops; for answers that take long. */
  readonly gone?: (() => AbortSignal) | undefined;
}

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

/** What a real server says of a path that no handler knows. */
export function pageNotFound(): ApiResponse {
  return textResponse(404, "404 page not found\n");
}
