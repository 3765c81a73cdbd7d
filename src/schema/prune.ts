// Drops what a schema does not know and names it, as a strict decoder does. Custom resources: the members of metadata
// first, then everything else in the order of the names; built-in kinds: in the order of the text.

import { nextTurn, pauseForOthers } from "../meta/clock.ts";
import { FINDINGS_CHARS_MAX } from "../meta/field-error.ts";
import { isObject, type JsonObject } from "../meta/json.ts";
import { type KeysOf, keysAsRead } from "../meta/json-words.ts";
import { append } from "../meta/lists.ts";
import { atOnce, inTurns, type Steps } from "../meta/steps.ts";
import { objectMetaNode } from "./compile-schema.ts";
import { embeddedResources, holdsEmbedded } from "./embedded.ts";
import { childPath } from "./raw-schema.ts";
import type { SchemaNode } from "./schema-node.ts";

export interface PruneOptions {
  /** False for a value inside of a resource, such as a default: then apiVersion, kind and metadata have no privilege. */
  readonly isResource?: boolean;
}

/** Removes unknown fields from the object and returns their paths ("spec.ports[0].x"). Mutates. */
export function pruneUnknownFields(
  node: SchemaNode,
  object: unknown,
  { isResource = true }: PruneOptions = {},
): string[] {
  const ofMetadata = isResource && node.goType === undefined ? pruneMetadata(object, "") : [];
  const pruner = prunerOf(node, object, isResource);
  atOnce(pruner.walk());
  return pathsToTell(node, object, ofMetadata, pruner.dropped);
}

/** As pruneUnknownFields, for a resource just read that is so large that others should have their turn meanwhile. */
export async function pruneInTurns(node: SchemaNode, object: unknown): Promise<string[]> {
  const ofMetadata = node.goType === undefined ? pruneMetadata(object, "") : [];
  const pruner = prunerOf(node, object, true, keysAsRead);
  await inTurns(pruner.walk(), pauseForOthers);
  await nextTurn();
  return pathsToTell(node, object, ofMetadata, pruner.dropped);
}

/** So many members are looked at before the time is. */
const MEMBERS_OF_SLICE = 512;

function prunerOf(
  node: SchemaNode,
  object: unknown,
  isResource: boolean,
  keysOf: KeysOf = Object.keys,
): Pruner {
  const embedded = isResource && node.goType === undefined;
  return new Pruner(node, object, { dropped: new DroppedFields(), path: "", embedded }, keysOf);
}

function pathsToTell(
  node: SchemaNode,
  object: unknown,
  ofMetadata: readonly string[],
  dropped: DroppedFields,
): string[] {
  if (node.goType !== undefined) return dropped.first(BUILT_IN_FINDINGS_MAX);
  if (!holdsEmbedded(node)) return [...ofMetadata, ...dropped.sorted()];
  const ofEmbedded: string[] = [];
  for (const { resource, path } of embeddedResources(node, object)) {
    append(ofEmbedded, pruneMetadata(resource, path));
  }
  return [...ofMetadata, ...dropped.sorted(), ...ofEmbedded.sort()];
}

/** Metadata holds what ObjectMeta has, whatever the schema around it says. */
function pruneMetadata(owner: unknown, path: string): string[] {
  if (!isObject(owner) || !isObject(owner["metadata"])) return [];
  const place = { dropped: new DroppedFields(), path: childPath(path, "metadata"), embedded: false };
  atOnce(new Pruner(objectMetaNode(), owner["metadata"], place).walk());
  return place.dropped.sorted();
}

/** The paths of what was dropped, as many as are told: the long name of a map's member comes again in all below it. */
class DroppedFields {
  readonly #paths: string[] = [];
  #chars = 0;

  add(path: string): void {
    this.#chars += path.length;
    if (this.#paths.length === 0 || this.#chars <= FINDINGS_CHARS_MAX) this.#paths.push(path);
  }

  /** Each once. Two places have the same path where a key has a dot in it. */
  sorted(): string[] {
    const sorted = this.#paths.sort();
    return sorted.filter((path, index) => path !== sorted[index - 1]);
  }

  /** As many as are wanted, each once, in the order in which they were found. */
  first(count: number): string[] {
    const first = new Set<string>();
    for (const path of this.#paths) if (first.size < count) first.add(path);
    return [...first];
  }
}

interface Place {
  readonly dropped: DroppedFields;
  readonly path: string;
  /** The value is a resource: apiVersion, kind and metadata stay as they are. */
  readonly embedded: boolean;
}

const META_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** A strict decoder of a built-in kind stops noting after so many. */
const BUILT_IN_FINDINGS_MAX = 100;

/** A list or an object that is being looked through. */
interface Opened extends Place {
  readonly node: SchemaNode | undefined;
  readonly list: unknown[];
  readonly object: JsonObject;
  /** undefined for a list. */
  readonly keys: readonly string[] | undefined;
  next: number;
}

/** Keeps its own stack, so that it can stop anywhere and go on. */
class Pruner {
  readonly dropped: DroppedFields;
  readonly #outer: Opened[] = [];
  readonly #keysOf: KeysOf;
  #opened: Opened | undefined;

  constructor(node: SchemaNode | undefined, value: unknown, place: Place, keysOf: KeysOf = Object.keys) {
    this.#keysOf = keysOf;
    this.dropped = place.dropped;
    this.#enter(node, value, place);
  }

  /** Yields behind some members. */
  *walk(): Steps<void> {
    for (let count = 1; this.#opened !== undefined; count++) {
      if (count % MEMBERS_OF_SLICE === 0) yield;
      const opened = this.#opened;
      const { keys, list } = opened;
      if (opened.next === (keys ?? list).length) this.#opened = this.#outer.pop();
      else if (keys === undefined) this.#item(opened, opened.next++);
      else this.#member(opened, keys[opened.next++] ?? "");
    }
  }

  #enter(node: SchemaNode | undefined, value: unknown, { dropped, path, embedded }: Place): void {
    const isList = Array.isArray(value);
    if (!isList && !isObject(value)) return;
    if (isList && node?.items === undefined && node?.preserveUnknownFields) return;
    if (this.#opened !== undefined) this.#outer.push(this.#opened);
    const [list, object] = isList ? [value, NO_OBJECT] : [NO_LIST, value];
    const keys = isList ? undefined : this.#keysOf(object);
    this.#opened = { node, list, object, keys, next: 0, dropped, path, embedded };
  }

  #item({ node, list, dropped, path }: Opened, index: number): void {
    const item = list[index];
    if (typeof item !== "object" || item === null) return;
    const items = node?.items;
    this.#enter(items, item, {
      dropped,
      path: `${path}[${index}]`,
      embedded: items?.embeddedResource === true,
    });
  }

  #member({ node, object, dropped, path, embedded }: Opened, key: string): void {
    if (embedded && META_FIELDS.has(key)) return;
    const property = node?.properties.get(key);
    if (property === undefined && node?.additionalProperties === undefined) {
      if (node?.preserveUnknownFields) return;
      dropped.add(childPath(path, key));
      delete object[key];
      return;
    }
    const item = object[key];
    if (typeof item !== "object" || item === null) return;
    const known = property ?? schemaOf(node?.additionalProperties);
    this.#enter(known, item, {
      dropped: isSilent(known) ? new DroppedFields() : dropped,
      path: childPath(path, key),
      embedded: known?.embeddedResource === true,
    });
  }
}

const NO_LIST: unknown[] = [];
const NO_OBJECT: JsonObject = {};

/** A built-in type that is either a struct or something else reads its own JSON, and nobody hears what it drops. */
const isSilent = (node: SchemaNode | undefined): boolean =>
  node?.goType !== undefined && node.type === undefined && node.properties.size > 0;

/** additionalProperties: true tells nothing of the values, so a real server keeps their scalars only. */
const schemaOf = (additional: SchemaNode | true | undefined): SchemaNode | undefined =>
  typeof additional === "object" ? additional : undefined;
