// All OpenAPI answers behind one object that remembers them. A document is written when it is first asked for, and
// again only when the definitions of its group version changed; the index needs the hash of every document.

import { createHash } from "node:crypto";
import { pauseForOthers } from "../../meta/clock.ts";
import { isObject } from "../../meta/json.ts";
import { encodeJson, sortedKeys } from "../../meta/json-encode.ts";
import type { ResourceDefinition } from "../../registry/definition/resource-definition.ts";
import { schemaLibrary } from "../../schema/go/schema-library.ts";
import { basePath, type GroupIndex, groupIndexOf, type VersionEntry } from "../discovery/group-index.ts";
import { API_VERSION } from "../discovery/version-info.ts";
import { prettyJson } from "../response/text-parts.ts";
import { type DefinitionByRef, KNOWN_GROUP_VERSIONS, openApiDocument, schemaSource } from "./document.ts";
import { encodeOpenApiV2, encodeOpenApiV3 } from "./gnostic.ts";
import type { PathItem } from "./operation.ts";
import { CORE_VERSIONS_PATH, GROUPS_PATH, groupPath, VERSION_PATH, versionPaths } from "./paths.ts";
import { swaggerDocument } from "./swagger.ts";

type Definitions = readonly ResourceDefinition[];

/** The media types of the protobuf forms, as answers name them. Requests write @v1.0 in them. */
export const OPENAPI_V2_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
export const OPENAPI_V3_PROTOBUF = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf";

export interface OpenApi {
  /** /openapi/v3. */
  index(definitions: Definitions): Promise<RenderedDocument>;
  /** /openapi/v3/<path>, for example "api/v1" or "apis/k8s.ovn.org/v1"; undefined when there is none. */
  document(definitions: Definitions, path: string): Promise<RenderedDocument> | undefined;
  /** The paths of all documents, sorted. */
  paths(definitions: Definitions): readonly string[];
  /** /openapi/v2. */
  swagger(definitions: Definitions): Promise<RenderedDocument>;
}

/** How one document is made, and from which definitions. */
interface Recipe {
  readonly sources: Definitions;
  write(): Promise<object>;
}

const BUILT_IN_INFO = { title: "Kubernetes", version: API_VERSION };
const CUSTOM_INFO = { title: "Kubernetes CRD Swagger", version: "v0.1.0" };

/** By default the schemas of built-in kinds are those that are shipped. */
export function createOpenApi(definitionByRef: DefinitionByRef = schemaLibrary().published): OpenApi {
  const recipes = new WeakMap<Definitions, ReadonlyMap<string, Recipe>>();
  const written = new Map<string, { sources: Definitions; document: Promise<RenderedDocument> }>();
  const indexes = new WeakMap<Definitions, Promise<RenderedDocument>>();
  const swaggers = new WeakMap<Definitions, Promise<RenderedDocument>>();

  const recipesOf = (definitions: Definitions) =>
    remember(recipes, definitions, () => makeRecipes(groupIndexOf(definitions), definitionByRef));

  const document = (definitions: Definitions, path: string): Promise<RenderedDocument> | undefined => {
    const recipe = recipesOf(definitions).get(path);
    if (recipe === undefined) return undefined;
    const known = written.get(path);
    if (known !== undefined && sameItems(known.sources, recipe.sources)) return known.document;
    const rendered = recipe.write().then((value) => renderDocument(value, encodeOpenApiV3));
    written.set(path, { sources: recipe.sources, document: rendered });
    return rendered;
  };

  const index = async (definitions: Definitions): Promise<RenderedDocument> => {
    const paths: Record<string, object> = {};
    for (const path of recipesOf(definitions).keys()) {
      const hash = (await document(definitions, path))?.hash;
      paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
    }
    return await renderDocument({ paths });
  };

  const swagger = async (definitions: Definitions): Promise<RenderedDocument> =>
    await renderDocument(await swaggerDocument(groupIndexOf(definitions), definitionByRef), encodeOpenApiV2);

  return {
    document,
    index: (definitions) => remember(indexes, definitions, () => index(definitions)),
    paths: (definitions) => [...recipesOf(definitions).keys()],
    swagger: (definitions) => remember(swaggers, definitions, () => swagger(definitions)),
  };
}

function remember<T>(cache: WeakMap<Definitions, T>, definitions: Definitions, make: () => T): T {
  let value = cache.get(definitions);
  if (value === undefined) {
    value = make();
    cache.set(definitions, value);
  }
  return value;
}

function sameItems(a: Definitions, b: Definitions): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

function makeRecipes(index: GroupIndex, definitionByRef: DefinitionByRef): ReadonlyMap<string, Recipe> {
  const all = new Map<string, Recipe>();
  const protocolDocument = (path: string, item: PathItem) => {
    const schemas = schemaSource([], definitionByRef, []);
    const write = () => openApiDocument({ info: BUILT_IN_INFO, items: [item], schemas, security: true });
    all.set(path, { sources: [], write });
  };
  protocolDocument("api", CORE_VERSIONS_PATH);
  protocolDocument("apis", GROUPS_PATH);
  protocolDocument("version", VERSION_PATH);
  for (const group of index.groups.values()) {
    if (!group.custom && group.name !== "") protocolDocument(`apis/${group.name}`, groupPath(group.name));
    for (const entry of group.versions)
      all.set(basePath(entry).slice(1), versionRecipe(entry, definitionByRef));
  }
  return new Map([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A document of built-in kinds has the core version and its own for those that share a kind; the others have all. */
function versionRecipe(entry: VersionEntry, definitionByRef: DefinitionByRef): Recipe {
  const { custom, group, version, views } = entry;
  const sharedBy = custom ? KNOWN_GROUP_VERSIONS : [...new Set(["/v1", `${group}/${version}`])];
  return {
    sources: views.map((view) => view.definition),
    write: () =>
      openApiDocument({
        info: custom ? CUSTOM_INFO : BUILT_IN_INFO,
        items: versionPaths(entry),
        schemas: schemaSource(views, definitionByRef, sharedBy),
        security: !custom,
      }),
  };
}

/**
 * The documents of all group versions as files, which are kept with the sources so that a change of the API shows up in
 * review: indented texts by names as in the sources of Kubernetes, apis__k8s.ovn.org__v1_openapi.json.
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

/** JSON text and its hash. The ETag header is the hash in quotes. */
export interface RenderedDocument {
  readonly hash: string;
  /** The text as it is sent. Shared: it must not be changed. */
  readonly json: Buffer;
  /** The document in its protobuf form (gnostic), made once; the index has none. */
  protobuf?(): Promise<Buffer>;
}

const CHUNK_CHARACTERS = 64 * 1024;
/** Schemas and paths are members of members of a document, or of their members. */
const LEVELS_TAKEN_APART = 3;

/** The text is made in turns: some have several megabytes, and whoever asks for one should not keep others waiting. */
export async function renderDocument(
  document: object,
  encodeProtobuf?: (document: object) => Promise<Buffer>,
): Promise<RenderedDocument> {
  const chunks: Buffer[] = [];
  const hash = createHash("sha512");
  let text = "";
  const take = () => {
    const chunk = Buffer.from(text);
    chunks.push(chunk);
    hash.update(chunk);
    text = "";
  };
  for (const piece of piecesOf(document, LEVELS_TAKEN_APART)) {
    text += piece;
    if (text.length > CHUNK_CHARACTERS) take();
    const pause = pauseForOthers();
    if (pause !== undefined) await pause;
  }
  take();
  const protobuf = encodeProtobuf && once(() => encodeProtobuf(document));
  return {
    hash: hash.digest("hex").toUpperCase(),
    json: Buffer.concat(chunks),
    ...(protobuf === undefined ? {} : { protobuf }),
  };
}

/** What encodeJson() writes, in pieces: the members of objects down to so many levels. */
export function* piecesOf(value: unknown, levels: number): Generator<string> {
  if (levels === 0 || !isObject(value)) {
    yield encodeJson(value);
    return;
  }
  let before = "{";
  for (const key of sortedKeys(value)) {
    if (value[key] === undefined) continue;
    yield `${before}${encodeJson(key)}:`;
    yield* piecesOf(value[key], levels - 1);
    before = ",";
  }
  yield before === "{" ? "{}" : "}";
}

/** Remembers what was made, and lets go of what it was made of. */
function once(make: () => Promise<Buffer>): () => Promise<Buffer> {
  let source: (() => Promise<Buffer>) | undefined = make;
  let made: Promise<Buffer> | undefined;
  return () => {
    made ??= source?.() ?? Promise.resolve(Buffer.alloc(0));
    source = undefined;
    return made;
  };
}
