// The paths that name no resource: discovery, OpenAPI, version, health, the list of paths.
import { notAcceptable, pathNotFound } from "../meta/status.ts";
import type { ResourceDefinition } from "../registry/definition/resource-definition.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";
import {
  type ApiRequest,
  type ApiResponse,
  JSON_TYPE,
  methodNotAllowed,
  textResponse,
  YAML_TYPE,
} from "./api-request.ts";
import { createDiscovery, type VersionInfo } from "./discovery/discovery.ts";
import { answerOpenApi, createOpenApi } from "./openapi/openapi.ts";
import { PROTOBUF_TYPE } from "./protobuf/codec.ts";
import { negotiateAnswer, parseAccept } from "./request/negotiation.ts";
import { finishValue } from "./response/respond.ts";

export interface NonResourceOptions {
  readonly registry: ResourceRegistry;
  readonly version: VersionInfo;
  readonly healthChecks: readonly HealthCheck[];
  /** HOST:PORT under which clients reach the server. */
  readonly serverAddress: () => string;
}

const AGGREGATED = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

export class NonResourcePaths {
  readonly #options: NonResourceOptions;
  readonly #discovery = createDiscovery();
  readonly #openApi = createOpenApi();

  constructor(options: NonResourceOptions) {
    this.#options = options;
  }

  /** The answer, or undefined for a path that is not known. Throws a StatusError. */
  handle(request: ApiRequest): ApiResponse | undefined | Promise<ApiResponse | undefined> {
    const health = handleHealth(this.#options.healthChecks, request);
    if (health) return health;
    const parts = request.path.replace(/^\/+|\/+$/g, "").split("/");
    switch (parts[0]) {
      case "":
        return this.#json(request, { paths: this.#paths() });
      case "version":
        return parts.length === 1 ? this.#json(onlyGet(request), this.#options.version) : undefined;
      case "api":
        return this.#core(request, parts[1]);
      case "apis":
        return this.#groups(request, parts[1], parts[2]);
      case "openapi":
        return answerOpenApi(this.#openApi, this.#definitions, request, parts.slice(1));
      default:
        return undefined;
    }
  }

  #core(request: ApiRequest, version: string | undefined): ApiResponse | undefined {
    const discovery = this.#discovery;
    onlyGet(request);
    if (version !== undefined) {
      const resources = discovery.resources(this.#definitions, "", version);
      if (resources === undefined) throw pathNotFound();
      return this.#json(request, resources);
    }
    const form = aggregatedForm(request);
    if (form) return aggregated(request, form, discovery.aggregatedCore(this.#definitions));
    return this.#json(request, discovery.versions(this.#definitions, this.#options.serverAddress()));
  }

  /** Built-in groups are read with GET alone; the rest answers any method, as the aggregator does. */
  #groups(
    request: ApiRequest,
    name: string | undefined,
    version: string | undefined,
  ): ApiResponse | undefined {
    const discovery = this.#discovery;
    if (name === undefined) {
      const form = aggregatedForm(request);
      if (form) return aggregated(request, form, discovery.aggregatedGroups(this.#definitions));
      return this.#json(request, discovery.groups(this.#definitions));
    }
    const group = this.#options.registry.group(name);
    if (group === undefined) return undefined;
    if (version === undefined) {
      const found = discovery.group(this.#definitions, name);
      return found && this.#json(request, found);
    }
    if (!group.custom) onlyGet(request);
    const resources = discovery.resources(this.#definitions, name, version);
    if (resources !== undefined) return this.#json(request, resources);
    if (group.custom) return undefined;
    throw pathNotFound();
  }

  get #definitions(): readonly ResourceDefinition[] {
    return this.#options.registry.definitions;
  }

  #json(request: ApiRequest, value: object): ApiResponse {
    const negotiated = negotiateAnswer(request.headers["accept"], () => true);
    // What is no kind of the API, such as the list of paths, knows nothing of protobuf.
    const isPlain = negotiated.mediaType === PROTOBUF_TYPE && !("kind" in value);
    const mediaType = isPlain ? JSON_TYPE : negotiated.mediaType;
    const headers = { "content-type": mediaType };
    return { status: 200, headers, body: finishValue(value, { ...negotiated, mediaType }, request) };
  }

  #paths(): string[] {
    const paths = new Set(
      "/api /apis /healthz /livez /metrics /openapi/v2 /openapi/v3 /readyz /version".split(" "),
    );
    for (const { group, versions } of this.#definitions) {
      if (group !== "") paths.add(`/apis/${group}`);
      for (const { name, served } of versions)
        if (served) paths.add(group === "" ? `/api/${name}` : `/apis/${group}/${name}`);
    }
    for (const check of this.#options.healthChecks)
      paths.add(`/healthz/${check.name}`).add(`/readyz/${check.name}`);
    return [...paths].sort();
  }
}

function onlyGet(request: ApiRequest): ApiRequest {
  if (request.method === "GET") return request;
  throw methodNotAllowed();
}

/** The form in which the aggregated document is wanted, if it is; 406 when only a form is that is gone. */
function aggregatedForm({ headers }: ApiRequest): typeof JSON_TYPE | typeof YAML_TYPE | undefined {
  const clauses = parseAccept(headers["accept"] ?? "");
  for (const { subtype, params } of clauses) {
    const isWanted = AGGREGATED.split(";").every((param) => {
      const [key = "", value] = param.split("=");
      return params.get(key) === value;
    });
    if (isWanted && subtype === "json") return JSON_TYPE;
    if (isWanted && subtype === "yaml") return YAML_TYPE;
    if (!params.has("as")) return undefined;
  }
  if (clauses.length === 0) return undefined;
  throw notAcceptable([JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE]);
}

function aggregated(
  request: ApiRequest,
  mediaType: typeof JSON_TYPE | typeof YAML_TYPE,
  { body, etag }: { readonly body: unknown; readonly etag: string },
): ApiResponse {
  if (request.headers["if-none-match"] === etag) return { status: 304, headers: { etag }, body: undefined };
  const type = { "content-type": `${mediaType};${AGGREGATED}` };
  const headers = { ...type, etag, vary: "Accept", "cache-control": "public" };
  return { status: 200, headers, body: finishValue(body, { mediaType }, request) };
}

export interface HealthCheck {
  readonly name: string;
  /** Left out: every endpoint asks it. */
  readonly only?: "readyz";
  /** undefined: fine; else what is wrong. */
  check(): string | undefined;
}

const ENDPOINTS = ["healthz", "livez", "readyz"];

/** Answers /healthz, /livez and /readyz with their single checks, as a real server lists them; undefined: no such path. */
export function handleHealth(checks: readonly HealthCheck[], request: ApiRequest): ApiResponse | undefined {
  const [, endpoint = "", ...rest] = request.path.split("/");
  if (!ENDPOINTS.includes(endpoint)) return undefined;
  const asked = checks.filter((check) => check.only === undefined || check.only === endpoint);
  const single = rest.join("/");
  if (rest.length > 0 && single !== "") {
    const check = asked.find((item) => item.name === single);
    if (check === undefined) return undefined;
    const problem = check.check();
    return problem === undefined
      ? textResponse(200, "ok")
      : textResponse(500, `internal server error: ${problem}\n`);
  }
  const excluded = new Set(request.query.all("exclude"));
  return report(endpoint, asked, excluded, request.query.has("verbose"));
}

function report(
  endpoint: string,
  checks: readonly HealthCheck[],
  excluded: ReadonlySet<string>,
  verbose: boolean,
): ApiResponse {
  let failed = false;
  const lines = checks.map(({ name, check }) => {
    if (excluded.has(name)) return `[+]${name} excluded: ok\n`;
    const problem = check();
    if (problem === undefined) return `[+]${name} ok\n`;
    failed = true;
    return `[-]${name} failed: ${problem}\n`;
  });
  if (failed) return textResponse(500, `${lines.join("")}${endpoint} check failed\n`);
  return textResponse(200, verbose ? `${lines.join("")}${endpoint} check passed\n` : "ok");
}
