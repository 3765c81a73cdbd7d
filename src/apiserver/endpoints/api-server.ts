// The API without HTTP: requests as values go through the handler chain, and failures become Status responses.
import { internalServerError, StatusError } from "../../apimachinery/meta/status.ts";
import type { ApiRequest, ApiResponse, FlowHeaders } from "./api-request.ts";
import { runHandlerChain } from "./handler-chain.ts";
import { impersonated } from "./handlers.ts";
import { type Answered, type ApiServerOptions, PassingRequest } from "./passing-request.ts";
import { LongQueries, QUERY_BYTES_PER_USER } from "./request/long-queries.ts";
import { negotiateError } from "./request/negotiation.ts";
import { finishLargeValue, finishValue, headersOf } from "./response/respond.ts";
import { Warnings } from "./response/warnings.ts";

/** A bearer token after more than one space is ignored, as in a kube-apiserver (request/bearertoken). */
const SPACED_TOKEN = /^\s*bearer {2,}\S/i;
const SPACED_TOKEN_WARNING =
  "the provided Authorization header contains extra space before the bearer token, and is ignored";

/** Writing a failure with a longer message yields to other requests. */
const LONG_MESSAGE = 128 * 1024;

export class ApiServer {
  readonly #options: ApiServerOptions;
  readonly #longQueries: LongQueries;

  constructor(options: ApiServerOptions) {
    this.#options = options;
    this.#longQueries = new LongQueries(options.queryBytesPerUser ?? QUERY_BYTES_PER_USER);
  }

  /** Reports whether the path is served without authentication and authorization. */
  isOpen(path: string): boolean {
    return this.#options.ownPaths.isOpen(path);
  }

  /** Handles a request, synchronously where possible: most GETs create no promise. Never throws or rejects. */
  handle(request: ApiRequest): Answered {
    const held = this.#options.held?.();
    return held ? held.then(() => this.#handleNow(request)) : this.#handleNow(request);
  }

  /** The flow of a request that is rejected before handling; undefined where its impersonation is denied. */
  flowHeaders(request: ApiRequest): FlowHeaders | undefined {
    try {
      return this.#options.flows?.headersFor(impersonated(request, request.info, this.#options.access));
    } catch (error) {
      if (error instanceof StatusError) return undefined;
      throw error;
    }
  }

  #handleNow(request: ApiRequest): Answered {
    const warnings = new Warnings();
    if (SPACED_TOKEN.test(request.headers["authorization"] ?? "")) warnings.add(SPACED_TOKEN_WARNING);
    const failed = (error: unknown) => this.#answerFailure(request, warnings, this.#toStatusError(error));
    try {
      const answered = runHandlerChain(
        new PassingRequest(request, this.#options, this.#longQueries, warnings),
      );
      return answered instanceof Promise ? answered.catch(failed) : answered;
    } catch (error) {
      return failed(error);
    }
  }

  #answerFailure(request: ApiRequest, warnings: Warnings, failed: StatusError): Answered {
    const isLong = (failed.status.message?.length ?? 0) > LONG_MESSAGE;
    if (!isLong) return respondFailure(request, warnings, failed);
    const written = finishLargeValue(failed.status, negotiateError(request.headers["accept"]), request);
    return written.then((body) => respondFailure(request, warnings, failed, body));
  }

  #toStatusError(error: unknown): StatusError {
    if (error instanceof StatusError) return error;
    this.#options.onInternalError(error);
    return internalServerError(error instanceof Error ? error.message : String(error), error);
  }
}

/** A failure as a response in the negotiated form. `body` is the encoded Status, if it exists. */
export function respondFailure(
  request: ApiRequest,
  warnings: Warnings,
  { code, status }: StatusError,
  body?: ApiResponse["body"],
): ApiResponse {
  const form = negotiateError(request.headers["accept"]);
  const headers = headersOf({ negotiated: form, warnings });
  const retryAfter = status.details?.retryAfterSeconds;
  if (retryAfter) headers["retry-after"] = String(retryAfter);
  return { status: code, headers, body: body ?? finishValue(status, form, request) };
}
