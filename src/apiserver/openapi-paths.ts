// /openapi/v3 and /openapi/v2 over HTTP: media types, hashes in URLs, redirects, ETags. The documents themselves are
// made in apiserver/openapi.

import type { ResourceRegistry } from "../registry/resource-registry.ts";
import { type ApiRequest, type ApiResponse, JSON_TYPE } from "./api-request.ts";
import {
  createOpenApi,
  OPENAPI_V2_PROTOBUF,
  OPENAPI_V3_PROTOBUF,
  type OpenApi,
  type RenderedDocument,
} from "./openapi/openapi.ts";
import { parseAccept } from "./request/negotiation.ts";

export interface OpenApiPaths {
  /** `rest` are the path's parts behind /openapi; undefined when there is no such document. */
  handle(request: ApiRequest, rest: readonly string[]): Promise<ApiResponse | undefined>;
}

const FOREVER = "public, immutable";

export function createOpenApiPaths(registry: ResourceRegistry): OpenApiPaths {
  let openApi: OpenApi | undefined;
  const documents = () => {
    openApi ??= createOpenApi();
    return openApi;
  };
  return {
    async handle(request, rest) {
      const [version, ...parts] = rest;
      const { definitions } = registry;
      if (version === "v2" && parts.length === 0) {
        return respond(request, await documents().swagger(definitions), OPENAPI_V2_PROTOBUF);
      }
      if (version !== "v3") return undefined;
      if (parts.length === 0) {
        return respond(request, await documents().index(definitions), OPENAPI_V3_PROTOBUF);
      }
      const document = await documents().document(definitions, parts.join("/"));
      return document && (redirected(request, document) ?? respond(request, document, OPENAPI_V3_PROTOBUF));
    },
  };
}

/** A hash in the URL that is no longer right leads to the one that is. */
function redirected({ path, query }: ApiRequest, { hash }: RenderedDocument): ApiResponse | undefined {
  if (!query.has("hash") || query.get("hash") === hash) return undefined;
  return { status: 301, headers: { location: `${path}?hash=${hash}` }, body: undefined };
}

async function respond(
  request: ApiRequest,
  document: RenderedDocument,
  protobufType: string,
): Promise<ApiResponse> {
  const form = wantedForm(request, document, protobufType);
  if (form === undefined) return { status: 406, headers: {}, body: undefined };
  const etag = `"${document.hash}"`;
  const known = request.headers["if-none-match"];
  if (known === "*" || known === etag) return { status: 304, headers: { etag }, body: undefined };
  const headers: Record<string, string> = { "content-type": form, etag, vary: "Accept" };
  if (request.query.get("hash") === document.hash) headers["cache-control"] = FOREVER;
  const body = form === JSON_TYPE ? document.json : await document.protobuf?.();
  return { status: 200, headers, body };
}

/** The first form the client names that there is; requests write @v1.0 where answers write .v1.0. */
function wantedForm(
  request: ApiRequest,
  document: RenderedDocument,
  protobufType: string,
): string | undefined {
  const clauses = parseAccept(request.headers["accept"] ?? "");
  if (clauses.length === 0) return JSON_TYPE;
  for (const { type, subtype } of clauses) {
    const name = `${type}/${subtype}`;
    if (name === JSON_TYPE || name === "*/*" || name === "application/*") return JSON_TYPE;
    if (document.protobuf && name.replace("@v1.0", ".v1.0") === protobufType) return protobufType;
  }
  return undefined;
}
