// The handler chain of one API request, from the URL to the response, as a flat list of steps:
//
//   RequestInfo → impersonate → authorize → resource → negotiate → read the body → large texts → verb → response
//
// The registry executes a verb between decoding and commit (src/apiserver/registry/write).

import { durationComplaint, parseGoDuration } from "../../apimachinery/go/duration.ts";
import { goQuote } from "../../apimachinery/go/strconv.ts";
import type { Clock } from "../../apimachinery/meta/clock.ts";
import type { Ids } from "../../apimachinery/meta/ids.ts";
import { badRequest, internalServerError, StatusError } from "../../apimachinery/meta/status.ts";
import type { Workers } from "../../apimachinery/workers/job.ts";
import { attributesOf, authorize, escapeMarkup, impersonate } from "../authorization/access-check.ts";
import type { ResourceView } from "../registry/definition/resource-definition.ts";
import { actionOf, apiVersionOf, connectionOf } from "../registry/definition/view.ts";
import type { ResourceStore } from "../registry/resource-store.ts";
import {
  type ApiRequest,
  type ApiResponse,
  type FlowHeaders,
  pageNotFound,
  textResponse,
} from "./api-request.ts";
import type { FlowControl } from "./flow-control.ts";
import type { NonResourcePaths } from "./non-resource.ts";
import { hasProtobuf } from "./protobuf/codec.ts";
import { readLargeBody } from "./request/decode-body.ts";
import { LongQueries, QUERY_BYTES_PER_USER } from "./request/long-queries.ts";
import { ACCEPTED, negotiateAnswer, negotiateError, STREAMS } from "./request/negotiation.ts";
import { READ_SETTINGS, type ReadSettings } from "./request/options.ts";
import type { RequestInfo } from "./request/request-info.ts";
import { demandForms, type RoutedForms } from "./request/routed-forms.ts";
import type { AccessControl, RequestScope } from "./request-scope.ts";
import { finishLargeValue, finishValue, headersOf } from "./response/respond.ts";
import { deprecationWarning, Warnings } from "./response/warnings.ts";
import { findRoute, verbOf } from "./route.ts";
import { answerConnect } from "./verbs/connect.ts";
import { PATCH_BODIES } from "./verbs/write.ts";

/** Serves Egret's own paths; undefined for an unknown path. Reads the body on demand. Throws StatusError. */
export interface OwnPaths {
  handle(request: ApiRequest): Promise<ApiResponse> | undefined;
  /** Reports whether the path is served without authorization: a kube-apiserver has a flag for such paths. */
  isOpen(path: string): boolean;
}

export interface ApiServerOptions {
  readonly resources: ResourceStore;
  /** Worker threads for long decoding; absent: the main thread does it. */
  readonly workers?: Workers;
  readonly nonResource: NonResourcePaths;
  /** Authorized like all other paths. */
  readonly ownPaths: OwnPaths;
  readonly access: AccessControl;
  /** Memory limit for one user's long queries; absent: the default of the flag. */
  readonly queryBytesPerUser?: number;
  /** Absent: the defaults of the flags. */
  readonly reading?: ReadSettings;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Returns a promise that requests wait for before they are handled; absent or undefined: none. */
  readonly held?: () => Promise<void> | undefined;
  /** Absent: no response names a FlowSchema. */
  readonly flows?: FlowControl;
  /** Called with errors that are bugs of the server; the client receives a 500. */
  readonly onInternalError: (error: unknown) => void;
}

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
      return this.#options.flows?.headersFor(asWanted(request, request.info, this.#options.access));
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
      const answered = this.#answer(request, warnings);
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

  #answer(received: ApiRequest, warnings: Warnings): Answered {
    const { resources, ownPaths, access, clock, ids, reading = READ_SETTINGS } = this.#options;
    const { info } = received;
    if (info.malformed) return noRequestInfo(received);
    if (info.verb !== "watch") checkTimeout(received);
    const asker = asWanted(received, info, access);
    if (asker.flow !== undefined) asker.flow.headers = this.#options.flows?.headersFor(asker);
    const isOpen = !info.isResourceRequest && ownPaths.isOpen(asker.path);
    if (!isOpen) authorize(access.authorizer, attributesOf(asker, info));
    if (isUnrouted(asker.path)) return pageNotFound();
    if (!info.isResourceRequest) return ownPaths.handle(asker) ?? this.#answerPath(asker);
    const view = findRoute(resources.registry, info, asker.method);
    if (view === undefined) return pageNotFound();
    if (createsAnyName(view, info)) authorize(access.authorizer, attributesOf(asker, { ...info, name: "" }));
    const connection = connectionOf(view, info.subresource);
    if (connection !== undefined) {
      const subresource = connection;
      return answerConnect({ request: asker, view, subresource, resources, clock, ids, warnings });
    }
    if (!view.definition.custom) demandForms(asker, FORMS[info.verb] ?? OTHER_FORMS);
    const negotiated = negotiateAnswer(
      asker.headers["accept"],
      () => hasMessage(view),
      (kind) => kind !== "Table" || hasRows(view, info),
    );
    const goOn = (request: ApiRequest) =>
      this.#answerVerb({
        ...{ request, info, view, negotiated, resources, access, clock, ids, reading, warnings },
      });
    return asker.readBody && info.verb !== "watch" ? withBody(asker).then(goOn) : goOn(asker);
  }

  async #answerPath(asker: ApiRequest): Promise<ApiResponse> {
    const request = asker.readBody ? await withBody(asker) : asker;
    return (await this.#options.nonResource.handle(request)) ?? pageNotFound();
  }

  #answerVerb(exchange: RequestScope): Answered {
    const { request, info, view, resources, warnings } = exchange;
    const deprecated = deprecationWarning(view);
    if (deprecated) warnings.add(deprecated);
    const verb = verbOf(info, view);
    if (verb === undefined) throw badRequest(`the method ${request.method} means nothing here`);
    const answer = (): Answered =>
      this.#longQueries.isLong(request)
        ? this.#longQueries.answer(request, () => verb(exchange))
        : verb(exchange);
    const whenReady = (): Answered => {
      if (looksItself(info, view)) return answer();
      const ready = resources.ready(view, READS.has(info.verb) ? request.query.get("resourceVersion") : "");
      return ready ? ready.then(answer) : answer();
    };
    const reading = readLargeBody(request, this.#options.workers);
    return reading ? reading.then(whenReady) : whenReady();
  }

  #toStatusError(error: unknown): StatusError {
    if (error instanceof StatusError) return error;
    this.#options.onInternalError(error);
    return internalServerError(error instanceof Error ? error.message : String(error), error);
  }
}

/** Verbs that begin with the local state and verify themselves whether it is the newest. */
const looksItself = ({ verb, subresource }: RequestInfo, { definition }: ResourceView): boolean =>
  verb === "update" ||
  verb === "patch" ||
  verb === "delete" ||
  (verb === "create" && subresource === "" && definition.review === undefined);

/** Verbs that may accept an older state. */
const READS: ReadonlySet<string> = new Set(["get", "list", "watch"]);

/** A kube-apiserver answers in plain text, before authentication. */
function noRequestInfo({ path, query }: ApiRequest): ApiResponse {
  const url = query.text === "" ? path : `${path}?${query.text}`;
  const why = `failed to create RequestInfo: unable to determine kind and namespace from url, ${url}`;
  return textResponse(500, escapeMarkup(`Internal Server Error: ${goQuote(url)}: ${why}\n`));
}

/** Paths that are authorized like those without the additional slash, but have no handler in a kube-apiserver. */
const isUnrouted = (path: string): boolean =>
  path.startsWith("//") || (path.startsWith("/apis//") && /[^/]/.test(path.slice("/apis//".length)));

/**
 * POST …/NAME creates the object that the body names, also in a kube-apiserver, but only for custom kinds.
 * Permission to create NAME must not allow that, so permission to create in the collection is required too.
 */
const createsAnyName = ({ definition }: ResourceView, info: RequestInfo): boolean =>
  definition.custom && info.verb === "create" && !info.isCollection;

/** Reads the body once it is needed. Throws 400, 413, 429 and 504. */
async function withBody(request: ApiRequest): Promise<ApiRequest> {
  return { ...request, body: await request.readBody?.(), readBody: undefined, streamBody: undefined };
}

/** The request of the impersonated user. Throws 400 and 403. */
function asWanted(request: ApiRequest, info: RequestInfo, { authorizer }: AccessControl): ApiRequest {
  if (request.impersonate === undefined) return request;
  const user = impersonate(authorizer, attributesOf(request, info), request.impersonate);
  return { ...request, user };
}

/** The timeout is parsed before authorization; 292 years in nanoseconds have 21 characters. */
const TIMEOUT_CHARACTERS_MAX = 1024;

/** The query's timeout is validated on every path, but limits only writes. */
function checkTimeout({ query }: ApiRequest): void {
  const text = query.get("timeout");
  if (text === "") return;
  if (text.length > TIMEOUT_CHARACTERS_MAX) throw badRequest("invalid timeout specified in the request URL");
  if (parseGoDuration(text) === undefined) {
    throw badRequest(`invalid timeout specified in the request URL - ${durationComplaint(text)}`);
  }
}

/** Whether objects of the kind can be encoded as protobuf. */
function hasMessage(view: ResourceView): boolean {
  return !view.definition.custom && hasProtobuf(apiVersionOf(view), view.definition.kind);
}

/** Reviews, and objects posted to a subresource, have no Table form. */
const hasRows = (view: ResourceView, { subresource }: RequestInfo): boolean =>
  view.definition.review === undefined && actionOf(view, subresource) === undefined;

/** Media types for routing of requests for built-in kinds, by verb. */
const FORMS: Readonly<Partial<Record<RequestInfo["verb"], RoutedForms>>> = {
  list: { produces: [...ACCEPTED, ...STREAMS] },
  watch: { produces: [...ACCEPTED, ...STREAMS] },
  patch: { consumes: PATCH_BODIES, produces: ACCEPTED },
};
const OTHER_FORMS: RoutedForms = { produces: ACCEPTED };

type Answered = ApiResponse | Promise<ApiResponse>;

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
