// Prunes fields that the schema does not know and reports them, as a strict decoder does. Custom resources: members of
// metadata first, then all others sorted by name. Built-in kinds: in text order.

import { isObject, type JsonObject } from "../json/json.ts";
import { type KeysOf, keysAsRead } from "../json/json-words.ts";
import { FINDINGS_CHARS_MAX } from "../meta/field-error.ts";
import { append } from "../meta/lists.ts";
import { type Coroutine, runSync, runYielding } from "../scheduling/coroutine.ts";
import { yieldIfDue } from "../scheduling/event-loop.ts";
import { objectMetaNode } from "./compile-schema.ts";
import { embeddedResources } from "./embedded.ts";
import { childPath, type SchemaNode } from "./schema-node.ts";

export interface PruneOptions {
  /** False for a value inside of a resource, such as a default: then apiVersion, kind and metadata are not implicit. */
  readonly isResource?: boolean;
  readonly keysOf?: KeysOf;
}

/** Removes unknown fields from the object and returns their paths ("spec.ports[0].x"). Mutates. */
export const pruneUnknownFields = (node: SchemaNode, object: unknown, options: PruneOptions = {}): string[] =>
  runSync(prune(node, object, options));

/** As pruneUnknownFields, with yielding for a large resource that was just decoded. */
export const pruneInTurns = (node: SchemaNode, object: unknown): Promise<string[]> =>
  runYielding(prune(node, object, { keysOf: keysAsRead }), yieldIfDue);

function* prune(
  node: SchemaNode,
  object: unknown,
  { isResource = true, keysOf = Object.keys }: PruneOptions,
): Coroutine<string[]> {
  const isBuiltIn = node.goType !== undefined;
  const embedded = isResource && !isBuiltIn;
  const ofMetadata = embedded ? pruneMetadata(object, "") : [];
  const dropped = new DroppedFields();
  yield* walk(node, object, { dropped, path: "", embedded }, keysOf);
  yield;
  if (isBuiltIn) return dropped.first(BUILT_IN_FINDINGS_MAX);
  const ofEmbedded: string[] = [];
  for (const { resource, path } of embeddedResources(node, object)) {
    append(ofEmbedded, pruneMetadata(resource, path));
  }
  return [...ofMetadata, ...dropped.sorted(), ...ofEmbedded.sort()];
}

/** Metadata is pruned by ObjectMeta, whatever the schema declares. */
function pruneMetadata(owner: unknown, path: string): string[] {
  if (!isObject(owner) || !isObject(owner["metadata"])) return [];
  const place = { dropped: new DroppedFields(), path: childPath(path, "metadata"), embedded: false };
  runSync(walk(objectMetaNode(), owner["metadata"], place, Object.keys));
  return place.dropped.sorted();
}

/** Paths of pruned fields, up to a size limit: a long map key is repeated in each path below it. */
class DroppedFields {
  readonly #paths: string[] = [];
  #chars = 0;

  add(path: string): void {
    this.#chars += path.length;
    if (this.#paths.length === 0 || this.#chars <= FINDINGS_CHARS_MAX) this.#paths.push(path);
  }

  /** Sorted and unique. Two positions have the same path where a key contains a dot. */
  sorted(): string[] {
    const sorted = this.#paths.sort();
    return sorted.filter((path, index) => path !== sorted[index - 1]);
  }

  /** The first paths, unique, in the order in which they were found. */
  first(count: number): string[] {
    const first = new Set<string>();
    for (const path of this.#paths) if (first.size < count) first.add(path);
    return [...first];
  }
}

interface Place {
  readonly dropped: DroppedFields;
  readonly path: string;
  /** The value is a resource: apiVersion, kind and metadata are kept. */
  readonly embedded: boolean;
}

const META_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** Maximal number of findings of a strict decoder of a built-in kind. */
const BUILT_IN_FINDINGS_MAX = 100;

/** A list or an object that is being walked. */
interface Opened extends Place {
  readonly node: SchemaNode | undefined;
  readonly list: unknown[];
  readonly object: JsonObject;
  /** undefined for a list. */
  readonly keys: readonly string[] | undefined;
  next: number;
}

/** Number of members between two checks of the clock. */
const MEMBERS_OF_SLICE = 512;

/** Walks the value and yields between members. It keeps its own stack, so that it can pause at any position. */
function* walk(node: SchemaNode, value: unknown, place: Place, keysOf: KeysOf): Coroutine<void> {
  const outer: Opened[] = [];
  let opened = enter(node, value, place, keysOf);
  for (let count = 1; opened !== undefined; count++) {
    if (count % MEMBERS_OF_SLICE === 0) yield;
    const { keys, list } = opened;
    if (opened.next === (keys ?? list).length) {
      opened = outer.pop();
      continue;
    }
    const at = opened.next++;
    const inner =
      keys === undefined ? enterItem(opened, at, keysOf) : enterMember(opened, keys[at] ?? "", keysOf);
    if (inner === undefined) continue;
    outer.push(opened);
    opened = inner;
  }
}

/** undefined: the value is not walked. */
function enter(
  node: SchemaNode | undefined,
  value: unknown,
  { dropped, path, embedded }: Place,
  keysOf: KeysOf,
): Opened | undefined {
  const isList = Array.isArray(value);
  if (!isList && !isObject(value)) return undefined;
  if (isList && node?.items === undefined && node?.preserveUnknownFields) return undefined;
  const [list, object] = isList ? [value, NO_OBJECT] : [NO_LIST, value];
  const keys = isList ? undefined : keysOf(object);
  return { node, list, object, keys, next: 0, dropped, path, embedded };
}

function enterItem({ node, list, dropped, path }: Opened, index: number, keysOf: KeysOf): Opened | undefined {
  const item = list[index];
  if (typeof item !== "object" || item === null) return undefined;
  const embedded = node?.items?.embeddedResource === true;
  return enter(node?.items, item, { dropped, path: `${path}[${index}]`, embedded }, keysOf);
}

function enterMember(
  { node, object, dropped, path, embedded }: Opened,
  key: string,
  keysOf: KeysOf,
): Opened | undefined {
  if (embedded && META_FIELDS.has(key)) return undefined;
  const property = node?.properties.get(key);
  if (property === undefined && node?.additionalProperties === undefined) {
    if (node?.preserveUnknownFields) return undefined;
    dropped.add(childPath(path, key));
    delete object[key];
    return undefined;
  }
  const item = object[key];
  if (typeof item !== "object" || item === null) return undefined;
  const known = property ?? schemaOf(node?.additionalProperties);
  const place = {
    dropped: isSilent(known) ? new DroppedFields() : dropped,
    path: childPath(path, key),
    embedded: known?.embeddedResource === true,
  };
  return enter(known, item, place, keysOf);
}

const NO_LIST: unknown[] = [];
const NO_OBJECT: JsonObject = {};

/** A built-in type that is a struct or something else has its own UnmarshalJSON, which drops unknown fields silently. */
const isSilent = (node: SchemaNode | undefined): boolean =>
  node?.goType !== undefined && node.type === undefined && node.properties.size > 0;

/** additionalProperties: true declares no type of the values, so upstream keeps only scalars. */
const schemaOf = (additional: SchemaNode | true | undefined): SchemaNode | undefined =>
  typeof additional === "object" ? additional : undefined;
