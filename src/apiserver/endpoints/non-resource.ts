// Non-resource paths: discovery, OpenAPI, version, health, the list of paths.
import { memoize } from "../../apimachinery/meta/memoize.ts";
import { notAcceptable, pathNotFound } from "../../apimachinery/meta/status.ts";
import type { ResourceDefinition } from "../registry/definition/resource-definition.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";
import { type ApiRequest, type ApiResponse, JSON_TYPE, methodNotAllowed, YAML_TYPE } from "./api-request.ts";
import type { AggregatedDocument } from "./discovery/aggregated.ts";
import { createDiscovery, type VersionInfo } from "./discovery/discovery.ts";
import { type HealthCheck, handleHealth, healthPaths, isHealthPath } from "./health.ts";
import {
  answerIssuerDiscovery,
  CONFIGURATION_PATH,
  isDiscoverable,
  KEY_SET_PATH,
  type TokenIssuerKeys,
} from "./issuer-discovery.ts";
import { answerOpenApi, createOpenApi, type OpenApi } from "./openapi/openapi.ts";
import { PROTOBUF_TYPE } from "./protobuf/codec.ts";
import { ACCEPTED, negotiateAnswer, parseAccept } from "./request/negotiation.ts";
import { demandForms, type RoutedForms } from "./request/routed-forms.ts";
import { answerJsonInTurns, prettyJson } from "./response/answer-text.ts";
import { finishLine, finishValue } from "./response/respond.ts";

export interface NonResourceOptions {
  readonly registry: ResourceRegistry;
  readonly version: VersionInfo;
  readonly healthChecks: readonly HealthCheck[];
  /** Returns a promise that health checks wait for; undefined: none. */
  readonly beforeHealth: () => Promise<void> | undefined;
  /** The URL at which clients reach the server. */
  readonly serverUrl: () => string;
  /** The issuer of ServiceAccount tokens, with its public keys. */
  readonly issuer: TokenIssuerKeys;
}

const AGGREGATED = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const DISCOVERY_FORMS: RoutedForms = { consumes: ACCEPTED, produces: ACCEPTED };
const VERSION_FORMS: RoutedForms = { consumes: [JSON_TYPE], produces: [JSON_TYPE] };

export class NonResourcePaths {
  readonly #options: NonResourceOptions;
  readonly #discovery = createDiscovery();
  /** Created at the first request: most servers in tests never receive one. */
  #openApi: OpenApi | undefined;

  constructor(options: NonResourceOptions) {
    this.#options = options;
  }

  /** Returns the response; undefined for an unknown path. Throws StatusError. */
  handle(request: ApiRequest): ApiResponse | undefined | Promise<ApiResponse | undefined> {
    if (isHealthPath(request.path)) return this.#health(request);
    const parts = request.path.replace(/^\/+|\/+$/g, "").split("/");
    switch (parts[0]) {
      case "":
        return rawJson({ paths: this.#paths() });
      case "version":
        return parts.length === 1 ? answerVersion(request, this.#options.version) : undefined;
      case "api":
        return this.#core(request, parts[1]);
      case "apis":
        return this.#groups(request, parts[1], parts[2]);
      case "openapi":
        this.#openApi ??= createOpenApi();
        return answerOpenApi(this.#openApi, this.#definitions, request, parts.slice(1));
      case ".well-known":
      case "openid":
        return this.#issuer(request);
      default:
        return undefined;
    }
  }

  #issuer(request: ApiRequest): ApiResponse | undefined {
    const { issuer, serverUrl } = this.#options;
    return isDiscoverable(issuer.url) ? answerIssuerDiscovery(request, issuer, serverUrl()) : undefined;
  }

  /** HOST:PORT. */
  get #serverAddress(): string {
    return this.#options.serverUrl().replace(/^https?:\/\//, "");
  }

  #health(request: ApiRequest): ApiResponse | undefined | Promise<ApiResponse | undefined> {
    const { healthChecks, beforeHealth } = this.#options;
    const answer = () => handleHealth(healthChecks, request);
    return beforeHealth()?.then(answer) ?? answer();
  }

  async #core(request: ApiRequest, version: string | undefined): Promise<ApiResponse | undefined> {
    const discovery = this.#discovery;
    demandForms(onlyGet(request), DISCOVERY_FORMS);
    if (version !== undefined) {
      const resources = discovery.resources(this.#definitions, "", version);
      if (resources === undefined) throw pathNotFound();
      return discovered(request, resources);
    }
    const form = aggregatedForm(request);
    if (form) return aggregated(request, form, await discovery.aggregatedCore(this.#definitions));
    return discovered(request, discovery.versions(this.#definitions, this.#serverAddress));
  }

  /** Built-in groups accept only GET; other groups accept any method, as in the aggregator. */
  async #groups(
    request: ApiRequest,
    name: string | undefined,
    version: string | undefined,
  ): Promise<ApiResponse | undefined> {
    const discovery = this.#discovery;
    if (name === undefined) {
      const form = aggregatedForm(request);
      if (form) return aggregated(request, form, await discovery.aggregatedGroups(this.#definitions));
      return discovered(request, discovery.groups(this.#definitions));
    }
    const group = this.#options.registry.group(name);
    if (group === undefined) return undefined;
    if (version === undefined) {
      const found = discovery.group(this.#definitions, name);
      return found && discovered(request, found);
    }
    if (!group.custom) demandForms(onlyGet(request), DISCOVERY_FORMS);
    const resources = discovery.resources(this.#definitions, name, version);
    if (resources !== undefined) return discovered(request, resources);
    if (group.custom) return undefined;
    throw pathNotFound();
  }

  get #definitions(): readonly ResourceDefinition[] {
    return this.#options.registry.definitions;
  }

  #paths(): string[] {
    const paths = new Set([
      ..."/api /apis /metrics /openapi/v2 /openapi/v3 /openapi/v3/ /version".split(" "),
      ...(isDiscoverable(this.#options.issuer.url) ? [CONFIGURATION_PATH, KEY_SET_PATH] : []),
      ...healthPaths(this.#options.healthChecks),
    ]);
    for (const { group, versions } of this.#definitions) {
      if (group !== "") paths.add(`/apis/${group}`);
      for (const { name, served } of versions)
        if (served) paths.add(group === "" ? `/api/${name}` : `/apis/${group}/${name}`);
    }
    return [...paths].sort();
  }
}

/** The response with a discovery document. Its JSON is cached, because clients request it repeatedly. */
async function discovered(request: ApiRequest, document: object): Promise<ApiResponse> {
  const form = negotiateAnswer(
    request.headers["accept"],
    () => true,
    () => false,
  );
  const isJson = form.mediaType === JSON_TYPE;
  const body = isJson
    ? finishLine(await lineOf(document), form, request)
    : finishValue(document, form, request);
  return { status: 200, headers: { "content-type": form.mediaType }, body };
}

const lineOf = memoize((document: object): Promise<Buffer> => answerJsonInTurns(document, "\n"));

/** Values that are not API kinds have no content negotiation: always indented JSON, in the given member order. */
function rawJson(value: object): ApiResponse {
  const body = Buffer.from(prettyJson(JSON.stringify(value)));
  return { status: 200, headers: { "content-type": JSON_TYPE }, body };
}

function answerVersion(request: ApiRequest, version: VersionInfo): ApiResponse {
  demandForms(onlyGet(request), VERSION_FORMS);
  return rawJson(version);
}

function onlyGet(request: ApiRequest): ApiRequest {
  if (request.method === "GET") return request;
  throw methodNotAllowed();
}

type AggregatedForm = typeof JSON_TYPE | typeof YAML_TYPE | typeof PROTOBUF_TYPE;

/** The requested aggregated form, if any; 406 when only a removed form is requested. */
function aggregatedForm({ headers }: ApiRequest): AggregatedForm | undefined {
  const clauses = parseAccept(headers["accept"] ?? "");
  for (const { subtype, params } of clauses) {
    const isWanted = AGGREGATED.split(";").every((param) => {
      const [key = "", value] = param.split("=");
      return params.get(key) === value;
    });
    if (isWanted && (subtype === "json" || subtype === "*")) return JSON_TYPE;
    if (isWanted && subtype === "yaml") return YAML_TYPE;
    if (isWanted && subtype === "vnd.kubernetes.protobuf") return PROTOBUF_TYPE;
    if (!params.has("as")) return undefined;
  }
  if (clauses.length === 0) return undefined;
  throw notAcceptable(ACCEPTED);
}

function aggregated(
  request: ApiRequest,
  mediaType: AggregatedForm,
  { line, body, etag }: AggregatedDocument,
): ApiResponse {
  const cached = { etag, vary: "Accept", "cache-control": "public" };
  if (request.headers["if-none-match"] === etag) return { status: 304, headers: cached, body: undefined };
  const headers = { "content-type": `${mediaType};${AGGREGATED}`, ...cached };
  const isJson = mediaType === JSON_TYPE;
  const bytes = isJson
    ? finishLine(line, { mediaType }, request)
    : finishValue(body(), { mediaType }, request);
  return { status: 200, headers, body: bytes };
}
