// The steps of the handler chain (handler-chain.ts). Each answers the request or passes it on, and throws a StatusError.
import { durationComplaint, parseGoDuration } from "../../apimachinery/go/duration.ts";
import { goQuote } from "../../apimachinery/go/strconv.ts";
import { badRequest } from "../../apimachinery/meta/status.ts";
import { attributesOf, authorize, escapeMarkup, impersonate } from "../authorization/access-check.ts";
import type { ResourceView } from "../registry/definition/resource-definition.ts";
import { actionOf, apiVersionOf, connectionOf } from "../registry/definition/view.ts";
import { type ApiRequest, type ApiResponse, pageNotFound, textResponse } from "./api-request.ts";
import type { Answered, ApiServerOptions, PassingRequest } from "./passing-request.ts";
import { hasProtobuf } from "./protobuf/codec.ts";
import { readLargeBody } from "./request/decode-body.ts";
import { ACCEPTED, negotiateAnswer, STREAMS } from "./request/negotiation.ts";
import { READ_SETTINGS } from "./request/options.ts";
import type { RequestInfo } from "./request/request-info.ts";
import { demandForms, type RoutedForms } from "./request/routed-forms.ts";
import type { AccessControl } from "./request-scope.ts";
import { deprecationWarning } from "./response/warnings.ts";
import { findRoute, verbOf } from "./route.ts";
import { answerConnect } from "./verbs/connect.ts";
import { PATCH_BODIES } from "./verbs/write.ts";

export function withRequestInfo({ request, info }: PassingRequest): ApiResponse | undefined {
  return info.malformed ? noRequestInfo(request) : undefined;
}

export function withTimeout({ request, info }: PassingRequest): undefined {
  if (info.verb !== "watch") checkTimeout(request);
}

export function withImpersonation(passing: PassingRequest): undefined {
  passing.request = impersonated(passing.request, passing.info, passing.options.access);
}

export function withFlowSchema({ request, options }: PassingRequest): undefined {
  if (request.flow !== undefined) request.flow.headers = options.flows?.headersFor(request);
}

export function withAuthorization({ request, info, options }: PassingRequest): undefined {
  const isOpen = !info.isResourceRequest && options.ownPaths.isOpen(request.path);
  if (!isOpen) authorize(options.access.authorizer, attributesOf(request, info));
}

export function withRoutedPath({ request }: PassingRequest): ApiResponse | undefined {
  return isUnrouted(request.path) ? pageNotFound() : undefined;
}

export function withNonResourcePaths({
  request,
  info,
  options,
}: PassingRequest): Promise<ApiResponse> | undefined {
  if (info.isResourceRequest) return undefined;
  return options.ownPaths.handle(request) ?? answerPath(request, options);
}

async function answerPath(given: ApiRequest, { nonResource }: ApiServerOptions): Promise<ApiResponse> {
  const request = given.readBody ? await readWhole(given) : given;
  return (await nonResource.handle(request)) ?? pageNotFound();
}

export function withResource(passing: PassingRequest): ApiResponse | undefined {
  passing.view = findRoute(passing.options.resources.registry, passing.info, passing.request.method);
  return passing.view === undefined ? pageNotFound() : undefined;
}

/** The resource that withResource has found. */
function viewOf({ view }: PassingRequest): ResourceView {
  if (view === undefined) throw new Error("the step needs a resource");
  return view;
}

export function withAuthorizationOfAnyName(passing: PassingRequest): undefined {
  const { request, info, options } = passing;
  if (!createsAnyName(viewOf(passing), info)) return;
  authorize(options.access.authorizer, attributesOf(request, { ...info, name: "" }));
}

export function withConnect(passing: PassingRequest): Promise<ApiResponse> | ApiResponse | undefined {
  const { request, info, options, warnings } = passing;
  const view = viewOf(passing);
  const subresource = connectionOf(view, info.subresource);
  if (subresource === undefined) return undefined;
  const { resources, clock, ids } = options;
  return answerConnect({ request, view, subresource, resources, clock, ids, warnings });
}

export function withRoutedForms(passing: PassingRequest): undefined {
  const { request, info } = passing;
  if (!viewOf(passing).definition.custom) demandForms(request, FORMS[info.verb] ?? OTHER_FORMS);
}

export function withNegotiation(passing: PassingRequest): undefined {
  const view = viewOf(passing);
  passing.negotiated = negotiateAnswer(
    passing.request.headers["accept"],
    () => hasMessage(view),
    (kind) => kind !== "Table" || hasRows(view, passing.info),
  );
}

export function withBody(passing: PassingRequest): Promise<undefined> | undefined {
  const { request, info } = passing;
  if (!request.readBody || info.verb === "watch") return undefined;
  return readWhole(request).then((read) => {
    passing.request = read;
    return undefined;
  });
}

export function withDeprecationWarning(passing: PassingRequest): undefined {
  const deprecated = deprecationWarning(viewOf(passing));
  if (deprecated) passing.warnings.add(deprecated);
}

export function withVerb(passing: PassingRequest): undefined {
  passing.verb = verbOf(passing.info, viewOf(passing));
  if (passing.verb === undefined) throw badRequest(`the method ${passing.request.method} means nothing here`);
}

export function withDecodedBody({ request, options }: PassingRequest): Promise<undefined> | undefined {
  return readLargeBody(request, options.workers)?.then(() => undefined);
}

export function withReadiness(passing: PassingRequest): Promise<undefined> | undefined {
  const { request, info, options } = passing;
  const view = viewOf(passing);
  if (looksItself(info, view)) return undefined;
  const version = READS.has(info.verb) ? request.query.get("resourceVersion") : "";
  return options.resources.ready(view, version)?.then(() => undefined);
}

export function withExecution(passing: PassingRequest): Answered {
  const { request, info, negotiated, warnings, longQueries, verb: execute } = passing;
  const { resources, access, clock, ids, reading = READ_SETTINGS } = passing.options;
  if (negotiated === undefined || execute === undefined) throw new Error("the step needs a verb");
  const view = viewOf(passing);
  const scope = { request, info, view, negotiated, resources, access, clock, ids, reading, warnings };
  return longQueries.isLong(request) ? longQueries.answer(request, () => execute(scope)) : execute(scope);
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
async function readWhole(request: ApiRequest): Promise<ApiRequest> {
  return { ...request, body: await request.readBody?.(), readBody: undefined, streamBody: undefined };
}

/** The request of the impersonated user. Throws 400 and 403. */
export function impersonated(
  request: ApiRequest,
  info: RequestInfo,
  { authorizer }: AccessControl,
): ApiRequest {
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
