// All OpenAPI documents, cached. A document is encoded on the first request, and again only after the definitions of
// its group version change. The index needs the hash of every document.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { encodeJson } from "../../../apimachinery/json/json-encode.ts";
import { sameItems } from "../../../apimachinery/meta/lists.ts";
import { memoize } from "../../../apimachinery/meta/memoize.ts";
import { schemaLibrary } from "../../../apimachinery/schema/go/schema-library.ts";
import type { ResourceDefinition } from "../../registry/definition/resource-definition.ts";
import { type ApiRequest, type ApiResponse, JSON_TYPE, TEXT_TYPE } from "../api-request.ts";
import { API_VERSION } from "../discovery/discovery.ts";
import { basePath, type GroupIndex, groupIndexOf, type VersionEntry } from "../discovery/group-index.ts";
import { acceptsWeightedGzip } from "../request/accept-encoding.ts";
import { parseAccept } from "../request/negotiation.ts";
import { prettyJson } from "../response/answer-text.ts";
import { type Framing, KNOWN_GROUP_VERSIONS, OPENAPI_V3, openApiDocument } from "./document.ts";
import { encodeOpenApiV2, encodeOpenApiV3, PROTOBUF_V2, PROTOBUF_V3 } from "./gnostic.ts";
import { type DefinitionByRef, type Encoding, PartsOfDocuments, type Source } from "./parts.ts";
import { protocolPaths, versionSources } from "./paths.ts";
import { type RenderedDocument, renderDocument } from "./rendered-document.ts";
import { SWAGGER, swaggerDocument, swaggerSources } from "./swagger.ts";

type Definitions = readonly ResourceDefinition[];

/** Media types of the protobuf forms in responses. Requests use @v1.0 instead of .v1.0. */
const OPENAPI_V2_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
const OPENAPI_V3_PROTOBUF = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf";

/** The input of one document. */
interface Recipe extends Framing {
  readonly definitions: Definitions;
  readonly sources: readonly Source[];
  readonly sharedBy: readonly string[];
}

const BUILT_IN_INFO = { title: "Kubernetes", version: API_VERSION };
const CUSTOM_INFO = { title: "Kubernetes CRD Swagger", version: "v0.1.0" };

const encodeEntry = (name: string, value: object): Uint8Array =>
  Buffer.from(`${encodeJson(name)}:${encodeJson(value)}`);
const JSON_ENTRIES: Encoding = { sortsPaths: true, path: encodeEntry, schema: encodeEntry };

export type OpenApi = ReturnType<typeof createOpenApi>;

/** By default the schemas of built-in kinds are those of the package. */
export function createOpenApi(definitionByRef: DefinitionByRef = (ref) => schemaLibrary().published(ref)) {
  const recipesOf = memoize((definitions: Definitions) => makeRecipes(groupIndexOf(definitions)));
  const written = new Map<string, { definitions: Definitions; document: Promise<RenderedDocument> }>();
  const v3 = new PartsOfDocuments(OPENAPI_V3, JSON_ENTRIES, definitionByRef);
  const v3Protobuf = new PartsOfDocuments(OPENAPI_V3, PROTOBUF_V3, definitionByRef);
  const v2 = new PartsOfDocuments(SWAGGER, JSON_ENTRIES, definitionByRef);
  const v2Protobuf = new PartsOfDocuments(SWAGGER, PROTOBUF_V2, definitionByRef);

  const write = async (recipe: Recipe): Promise<RenderedDocument> => {
    const documentOf = async (parts: PartsOfDocuments) =>
      openApiDocument(recipe, await parts.compose(recipe.sources, recipe.sharedBy));
    return await renderDocument(await documentOf(v3), async () =>
      encodeOpenApiV3(await documentOf(v3Protobuf)),
    );
  };

  /** /openapi/v3/<path>, for example "api/v1" or "apis/k8s.ovn.org/v1"; undefined for an unknown path. */
  const document = (definitions: Definitions, path: string): Promise<RenderedDocument> | undefined => {
    const recipe = recipesOf(definitions).get(path);
    if (recipe === undefined) return undefined;
    const known = written.get(path);
    if (known !== undefined && sameItems(known.definitions, recipe.definitions)) return known.document;
    const rendered = write(recipe);
    written.set(path, { definitions: recipe.definitions, document: rendered });
    return rendered;
  };

  return {
    document,
    /** /openapi/v3. */
    index: memoize(async (definitions: Definitions): Promise<RenderedDocument> => {
      const paths: Record<string, object> = {};
      for (const path of recipesOf(definitions).keys()) {
        const hash = (await document(definitions, path))?.hash;
        paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
      }
      return await renderDocument({ paths });
    }),
    /** The paths of all documents, sorted. */
    paths: (definitions: Definitions): readonly string[] => [...recipesOf(definitions).keys()],
    /** /openapi/v2. */
    swagger: memoize(async (definitions: Definitions): Promise<RenderedDocument> => {
      const sources = swaggerSources(groupIndexOf(definitions));
      const documentOf = async (parts: PartsOfDocuments) =>
        swaggerDocument(await parts.compose(sources, KNOWN_GROUP_VERSIONS));
      return await renderDocument(await documentOf(v2), async () =>
        encodeOpenApiV2(await documentOf(v2Protobuf)),
      );
    }),
  };
}

function makeRecipes(index: GroupIndex): ReadonlyMap<string, Recipe> {
  const all = new Map<string, Recipe>();
  for (const item of protocolPaths(index)) {
    const framing = { info: BUILT_IN_INFO, security: true };
    all.set(item.path.slice(1, -1), { ...framing, definitions: [], sources: [item], sharedBy: [] });
  }
  for (const { versions } of index.groups.values())
    for (const entry of versions) all.set(basePath(entry).slice(1), versionRecipe(entry));
  return new Map([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The document of a group version. DeleteOptions and WatchEvent list the core version and its own; for custom kinds
 * all known ones.
 */
function versionRecipe(entry: VersionEntry): Recipe {
  const { custom, group, version, views } = entry;
  return {
    definitions: views.map((view) => view.definition),
    sources: versionSources(entry),
    sharedBy: custom ? KNOWN_GROUP_VERSIONS : [...new Set(["/v1", `${group}/${version}`])],
    info: custom ? CUSTOM_INFO : BUILT_IN_INFO,
    security: !custom,
  };
}

/**
 * The documents of all group versions as files, which are committed so that API changes are visible in review:
 * indented, with the file names of the sources of Kubernetes, such as apis__k8s.ovn.org__v1_openapi.json.
 */
export async function renderOpenApiFiles(
  definitions: Definitions,
  definitionByRef?: DefinitionByRef,
): Promise<Map<string, string>> {
  const openApi = createOpenApi(definitionByRef);
  const files = new Map<string, string>();
  for (const path of openApi.paths(definitions)) {
    const document = await openApi.document(definitions, path);
    const text = prettyJson(document?.json.toString() ?? "");
    files.set(`${path.replaceAll("/", "__")}_openapi.json`, `${text}\n`);
  }
  return files;
}

// /openapi/v3 and /openapi/v2 over HTTP: media types, hashes in URLs, redirects, ETags.

const FOREVER = "public, immutable";

/** The response for a path below /openapi; `rest` are the following segments. undefined for an unknown path. */
export async function answerOpenApi(
  openApi: OpenApi,
  definitions: Definitions,
  request: ApiRequest,
  [version, ...rest]: readonly string[],
): Promise<ApiResponse | undefined> {
  const path = rest.join("/");
  if (version === "v2" && path === "") {
    const answered = await respond(request, await openApi.swagger(definitions), OPENAPI_V2_PROTOBUF);
    return await maybeZipped(request, answered);
  }
  if (version !== "v3") return undefined;
  if (request.path === "/openapi/v3") return answerIndex(await openApi.index(definitions));
  const document = await openApi.document(definitions, path);
  if (document === undefined) return { status: 404, headers: {}, body: undefined };
  return redirected(request, document) ?? respond(request, document, OPENAPI_V3_PROTOBUF);
}

/** The index has a content type that is sniffed from its text, as of a file. */
const answerIndex = ({ json }: RenderedDocument): ApiResponse => ({
  status: 200,
  headers: { "content-type": TEXT_TYPE, "accept-ranges": "bytes" },
  body: json,
});

/** An outdated hash in the URL redirects to the current one. */
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

const zippedOf = memoize((document: Uint8Array) => promisify(gzip)(document));

/** Only the handler of /openapi/v2 compresses. The compressed form is cached; a libuv thread creates it. */
async function maybeZipped({ headers }: ApiRequest, answered: ApiResponse): Promise<ApiResponse> {
  const { vary = [], ...rest } = answered.headers;
  const plain = { ...answered, headers: { ...rest, vary: ["Accept-Encoding", ...[vary].flat()] } };
  const { body } = answered;
  if (!(body instanceof Uint8Array) || !acceptsWeightedGzip(headers["accept-encoding"])) return plain;
  return {
    ...answered,
    headers: { ...plain.headers, "content-encoding": "gzip" },
    body: await zippedOf(body),
  };
}

/** The client's first acceptable form. Requests use @v1.0 where responses use .v1.0. */
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
