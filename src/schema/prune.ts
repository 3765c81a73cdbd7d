// Drops what a schema does not know and names it, as a strict decoder does. Custom resources: the members of metadata
// first, then everything else in the order of the names; built-in kinds: in the order of the text.

import { FINDINGS_CHARS_MAX } from "../meta/field-error.ts";
import { isObject, type JsonObject } from "../meta/json.ts";
import { append } from "../meta/lists/append.ts";
import { objectMetaNode } from "./compile-schema.ts";
import { embeddedResources, holdsEmbedded } from "./embedded.ts";
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
  if (node.goType !== undefined) {
    const dropped = new DroppedFields();
    prune(node, object, { dropped, path: "", embedded: false });
    return dropped.first(BUILT_IN_FINDINGS_MAX);
  }
  const ofMetadata = isResource ? pruneMetadata(object, "") : [];
  const dropped = new DroppedFields();
  prune(node, object, { dropped, path: "", embedded: isResource });
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
  const dropped = new DroppedFields();
  prune(objectMetaNode(), owner["metadata"], { dropped, path: join(path, "metadata"), embedded: false });
  return dropped.sorted();
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

const join = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);

/** A strict decoder of a built-in kind stops noting after so many. */
const BUILT_IN_FINDINGS_MAX = 100;

function prune(node: SchemaNode | undefined, value: unknown, place: Place): void {
  if (Array.isArray(value)) pruneItems(node, value, place);
  else if (isObject(value)) pruneMembers(node, value, place);
}

/** A built-in type that is either a struct or something else reads its own JSON, and nobody hears what it drops. */
const isSilent = (node: SchemaNode | undefined): boolean =>
  node?.goType !== undefined && node.type === undefined && node.properties.size > 0;

function pruneItems(node: SchemaNode | undefined, value: unknown[], { dropped, path }: Place): void {
  const items = node?.items;
  if (items === undefined && node?.preserveUnknownFields) return;
  for (let index = 0; index < value.length; index++) {
    const item = value[index];
    if (typeof item !== "object" || item === null) continue;
    prune(items, item, { dropped, path: `${path}[${index}]`, embedded: items?.embeddedResource === true });
  }
}

function pruneMembers(node: SchemaNode | undefined, value: JsonObject, place: Place): void {
  const { dropped, path, embedded } = place;
  for (const key of Object.keys(value)) {
    if (embedded && META_FIELDS.has(key)) continue;
    const property = node?.properties.get(key);
    if (property === undefined && node?.additionalProperties === undefined) {
      if (node?.preserveUnknownFields) continue;
      dropped.add(join(path, key));
      delete value[key];
      continue;
    }
    const item = value[key];
    if (typeof item !== "object" || item === null) continue;
    const known = property ?? schemaOf(node?.additionalProperties);
    prune(known, item, {
      dropped: isSilent(known) ? new DroppedFields() : dropped,
      path: join(path, key),
      embedded: known?.embeddedResource === true,
    });
  }
}

/** additionalProperties: true tells nothing of the values, so a real server keeps their scalars only. */
const schemaOf = (additional: SchemaNode | true | undefined): SchemaNode | undefined =>
  typeof additional === "object" ? additional : undefined;
