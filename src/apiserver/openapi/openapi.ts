// All OpenAPI answers behind one object that remembers them. A document is written when it is first asked for, and
// again only when the definitions of its group version changed; the index needs the hash of every document.
import type { ResourceDefinition } from "../../registry/definition/resource-definition.ts";
import { basePath, type GroupIndex, groupIndexOf, type VersionEntry } from "../discovery/group-index.ts";
import { API_VERSION } from "../discovery/version-info.ts";
import { openApiDocument } from "./document.ts";
import { encodeOpenApiV2, encodeOpenApiV3 } from "./gnostic.ts";
import { CORE_VERSIONS_PATH, GROUPS_PATH, groupPath, VERSION_PATH } from "./paths/discovery-paths.ts";
import type { PathItem } from "./paths/operation.ts";
import { versionPaths } from "./paths/resource-paths.ts";
import { type RenderedDocument, renderDocument } from "./rendered-document.ts";
import { type DefinitionByRef, schemaSource } from "./schema-source.ts";
import { allSharedKinds, sharedKinds } from "./shared-kinds.ts";
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

interface Written {
  readonly sources: Definitions;
  readonly document: Promise<RenderedDocument>;
}

/** How one document is made, and from which definitions. */
interface Recipe {
  readonly sources: Definitions;
  write(): Promise<object>;
}

const BUILT_IN_INFO = { title: "Kubernetes", version: API_VERSION };
const CUSTOM_INFO = { title: "Kubernetes CRD Swagger", version: "v0.1.0" };

export function createOpenApi(definitionByRef: DefinitionByRef): OpenApi {
  const recipes = new WeakMap<Definitions, ReadonlyMap<string, Recipe>>();
  const written = new Map<string, Written>();
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
    const schemas = schemaSource([], definitionByRef, () => []);
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

function versionRecipe(entry: VersionEntry, definitionByRef: DefinitionByRef): Recipe {
  const { custom, group, version, views } = entry;
  return {
    sources: views.map((view) => view.definition),
    write() {
      const shared = (kind: string) => (custom ? allSharedKinds(kind) : sharedKinds(kind, group, version));
      return openApiDocument({
        info: custom ? CUSTOM_INFO : BUILT_IN_INFO,
        items: versionPaths(entry),
        schemas: schemaSource(views, definitionByRef, shared),
        security: !custom,
      });
    },
  };
}
