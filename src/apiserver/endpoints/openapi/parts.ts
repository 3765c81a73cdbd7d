// The contribution of each resource to OpenAPI documents: its paths and schemas, generated and encoded once per
// document form. After a change of one definition only that one is generated again, and the document is reassembled.
import type { JsonObject } from "../../../apimachinery/json/json.ts";
import { memoize } from "../../../apimachinery/meta/memoize.ts";
import { yieldIfDue } from "../../../apimachinery/scheduling/event-loop.ts";
import type { JsonSchema } from "../../../apimachinery/schema/schema-node.ts";
import type { ResourceDefinition, ResourceView } from "../../registry/definition/resource-definition.ts";
import { Entries, type Entry, sortedByName } from "./entries.ts";
import {
  DELETE_OPTIONS_SCHEMA,
  nameOfRef,
  type PathItem,
  refTo,
  schemaNames,
  TEXT_SCHEMA,
  WATCH_EVENT_SCHEMA,
} from "./operation.ts";
import { resourcePaths } from "./paths.ts";
import { convertKeyword, customKindSchema, customListSchema } from "./published-schema.ts";

/** Returns the schema of "#/components/schemas/<name>" for a built-in type; undefined or an error for others. */
export type DefinitionByRef = (ref: string) => JsonSchema | undefined;

/** Generates paths and schemas for a version of OpenAPI. */
export interface Dialect {
  /** Calls `share` for parameters that the document shares. */
  path(item: PathItem, share: ShareParameter): JsonObject;
  schema(schema: JsonSchema, isCustomKind: boolean): JsonSchema;
}

export type ShareParameter = (name: string, parameter: JsonObject) => void;

/** Encodes entries. */
export interface Encoding {
  /** Whether paths are sorted by name; otherwise they have the order of the resources. */
  readonly sortsPaths: boolean;
  path(name: string, value: JsonObject): Uint8Array;
  schema(name: string, value: JsonSchema): Uint8Array;
}

/** A source of paths: non-resource paths, or a resource. */
export type Source = PathItem | ResourceView;

export interface Composed {
  readonly paths: Entries;
  /** Schemas of bodies and responses, and all schemas that they refer to, by name. */
  readonly schemas: Entries;
  readonly parameters: JsonObject;
}

interface Part {
  readonly paths: readonly Entry[];
  /** Schemas that only this source defines. */
  readonly schemas: readonly Entry[];
  /** Names of other schemas that it refers to. */
  readonly refers: readonly string[];
  /** Names of shared parameters. */
  readonly parameters: readonly string[];
}

interface SharedSchema {
  readonly entry: Entry;
  readonly refers: readonly string[];
}

/** Assembles documents of one form, and caches their parts. */
export class PartsOfDocuments {
  readonly #dialect: Dialect;
  readonly #encoding: Encoding;
  readonly #definitionByRef: DefinitionByRef;
  readonly #known = memoize((_definition: ResourceDefinition) => new Map<string, Part>());
  readonly #sharedSchemas = new Map<string, SharedSchema>();
  readonly #parameters = new Map<string, JsonObject>();
  readonly #sameNames = new Map<string, readonly string[]>();

  constructor(dialect: Dialect, encoding: Encoding, definitionByRef: DefinitionByRef) {
    this.#dialect = dialect;
    this.#encoding = encoding;
    this.#definitionByRef = definitionByRef;
  }

  /**
   * Assembles a document, with yielding. DeleteOptions and WatchEvent belong to several group versions, `sharedBy`,
   * each "apps/v1" or "/v1".
   */
  async compose(sources: readonly Source[], sharedBy: readonly string[]): Promise<Composed> {
    const paths = new Map<string, Entry>();
    const schemas = new Map<string, Entry>();
    const refers = new Set<string>();
    const parameters = new Set<string>();
    for (const source of sources) {
      const pause = yieldIfDue();
      if (pause !== undefined) await pause;
      const part = "path" in source ? await this.#partOfPath(source) : await this.#partOf(source);
      for (const entry of part.paths) paths.set(entry.name, entry);
      for (const entry of part.schemas) schemas.set(entry.name, entry);
      for (const name of part.refers) refers.add(name);
      for (const name of part.parameters) parameters.add(name);
    }
    await this.#addShared(refers, sharedBy, schemas);
    const shared = [...parameters].map((name) => [name, this.#parameters.get(name)]);
    const all = this.#encoding.sortsPaths ? await sortedByName(paths.values()) : [...paths.values()];
    return {
      paths: new Entries(all),
      schemas: new Entries(await sortedByName(schemas.values())),
      parameters: Object.fromEntries(shared),
    };
  }

  async #partOf(view: ResourceView): Promise<Part> {
    const known = this.#known(view.definition);
    const made =
      known.get(view.version.name) ?? (await this.#makePart(resourcePaths(view), ownSchemas(view)));
    known.set(view.version.name, made);
    return made;
  }

  #partOfPath(item: PathItem): Promise<Part> {
    return this.#makePart([item], new Map());
  }

  async #makePart(items: readonly PathItem[], own: OwnSchemas): Promise<Part> {
    const parameters = new Set<string>();
    const share: ShareParameter = (name, parameter) => {
      this.#parameters.set(name, parameter);
      parameters.add(name);
    };
    const paths: Entry[] = [];
    for (const item of items) {
      const pause = yieldIfDue();
      if (pause !== undefined) await pause;
      const bytes = this.#encoding.path(item.path, this.#dialect.path(item, share));
      paths.push({ name: item.path, bytes, isShared: false });
    }
    const schemas: Entry[] = [];
    const refers = schemasIn(items);
    for (const name of refers) {
      const { make, isKind = false } = own.get(name) ?? {};
      if (make === undefined) continue;
      const pause = yieldIfDue();
      if (pause !== undefined) await pause;
      const schema = make();
      collectRefs(schema, refers);
      const bytes = this.#encoding.schema(name, this.#dialect.schema(schema, isKind));
      schemas.push({ name, bytes, isShared: false });
    }
    const others = [...refers].filter((name) => !own.has(name));
    return { paths, schemas, refers: this.#same(others), parameters: this.#same([...parameters]) };
  }

  /** Deduplicates lists of names: ten thousand resources have few distinct ones. */
  #same(names: readonly string[]): readonly string[] {
    const key = names.join();
    const known = this.#sameNames.get(key) ?? names;
    this.#sameNames.set(key, known);
    return known;
  }

  /** Adds the schemas of built-in types that the names refer to, directly or indirectly. */
  async #addShared(
    names: ReadonlySet<string>,
    sharedBy: readonly string[],
    schemas: Map<string, Entry>,
  ): Promise<void> {
    const open = new Set(names);
    for (const name of open) {
      if (schemas.has(name)) continue;
      const pause = yieldIfDue();
      if (pause !== undefined) await pause;
      const { entry, refers } = this.#sharedSchema(name, sharedBy);
      schemas.set(name, entry);
      for (const other of refers) open.add(other);
    }
  }

  #sharedSchema(name: string, sharedBy: readonly string[]): SharedSchema {
    const belongsToMany = name === DELETE_OPTIONS_SCHEMA || name === WATCH_EVENT_SCHEMA;
    const key = belongsToMany ? `${name} ${sharedBy.join()}` : name;
    const known = this.#sharedSchemas.get(key);
    if (known !== undefined) return known;
    const schema = this.#definitionByRef(refTo(name).$ref);
    if (schema === undefined) throw new Error(`there is no schema ${name}`);
    const refers = new Set<string>();
    collectRefs(schema, refers);
    const whole = belongsToMany ? { ...schema, ...kindsIn(name, sharedBy) } : schema;
    const bytes = this.#encoding.schema(name, this.#dialect.schema(whole, false));
    const made = { entry: { name, bytes, isShared: true }, refers: [...refers] };
    this.#sharedSchemas.set(key, made);
    return made;
  }
}

function kindsIn(name: string, groupVersions: readonly string[]): JsonSchema {
  const kinds = groupVersions.map((groupVersion) => {
    const [group, version] = groupVersion.split("/");
    return { group, kind: name.slice(name.lastIndexOf(".") + 1), version };
  });
  return { "x-kubernetes-group-version-kind": kinds };
}

type OwnSchemas = ReadonlyMap<string, { readonly make: () => JsonSchema; readonly isKind: boolean }>;

/** Custom resources define their own schemas. Schemas of built-in kinds and of common types are found by name. */
function ownSchemas(view: ResourceView): OwnSchemas {
  if (!view.definition.custom) return new Map();
  const names = schemaNames(view);
  return new Map([
    [names.kind, { make: () => customKindSchema(view), isKind: true }],
    [names.list, { make: () => customListSchema(view), isKind: false }],
  ]);
}

/** The schema names of bodies and responses. */
function schemasIn(items: readonly PathItem[]): Set<string> {
  const names = new Set<string>();
  for (const { operations } of items) {
    for (const { body, responses } of operations) {
      if (body !== undefined) names.add(body.schema);
      for (const schema of Object.values(responses)) names.add(schema);
    }
  }
  names.delete(TEXT_SCHEMA);
  return names;
}

/** Collects the references of a schema and its subschemas. A default or an example is data, not a reference. */
function collectRefs(schema: JsonObject, into: Set<string>): void {
  const collect = (part: JsonObject): JsonObject => {
    collectRefs(part, into);
    return part;
  };
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "$ref" && typeof value === "string") into.add(nameOfRef(value));
    else convertKeyword(keyword, value, collect);
  }
}
